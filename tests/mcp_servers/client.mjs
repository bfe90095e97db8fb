// npm's client of the protocol: calls a tool of a site. FOLDER holds node_modules.
// `client.mjs FOLDER PROGRAM SITE` over stdio, `client.mjs FOLDER URL TOKEN` over HTTP.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, server, more] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(createRequire(`${folder}/`).resolve(name)));
const { Client, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");

const transport = server.startsWith("http:")
  ? new StreamableHTTPClientTransport(new URL(server), { requestInit: { headers: { Authorization: `Bearer ${more}` } } })
  : new StdioClientTransport({ command: server, args: ["--site", more, "--principal", "npm"] });
const client = new Client({ name: "npm", version: "1" });
await client.connect(transport);
const inputs = [{ name: "a.txt", content_base64: "b25lCnR3bwo=" }];
const result = await client.callTool({ name: "line_count", arguments: { file: "a.txt", _inputs: inputs } });
process.stdout.write(result.content[0].text);
await client.close();
