// npm's client of the protocol: calls a tool of a site over stdio. `client.mjs FOLDER PROGRAM SITE`, where FOLDER holds node_modules.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, command, site] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(createRequire(`${folder}/`).resolve(name)));
const { Client } = await load("@modelcontextprotocol/client");
const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");

const client = new Client({ name: "npm", version: "1" });
await client.connect(new StdioClientTransport({ command, args: ["--site", site, "--principal", "npm"] }));
const inputs = [{ name: "a.txt", content_base64: "b25lCnR3bwo=" }];
const result = await client.callTool({ name: "line_count", arguments: { file: "a.txt", _inputs: inputs } });
process.stdout.write(result.content[0].text);
await client.close();
