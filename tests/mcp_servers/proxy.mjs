// Passes requests on to a server with a bearer token: `proxy.mjs ADDRESS TOKEN`. Prints the port that it listens on.
import http from "node:http";

const [address, token] = process.argv.slice(2);
const [host, port] = address.split(":");
const proxy = http.createServer((request, response) => {
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  const onward = http.request({ host, port, path: request.url, method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  onward.on("error", (error) => response.destroy(error));
  response.on("close", () => onward.destroy());
  request.pipe(onward);
});
proxy.listen(0, "127.0.0.1", () => console.log(proxy.address().port));
