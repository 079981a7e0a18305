import { createServer } from "node:http";
import { text } from "node:stream/consumers";

/**
 * As much of a managed cluster's API as the workload asks for: `node node-api.ts PORT`. Takes patches of ConfigMaps.
 * Prints a line when it takes connections, and then each request with its path, the token that came with it, and its
 * body.
 */
const [port = ""] = process.argv.slice(2);

const server = createServer(async (incoming, answer) => {
  const body = await text(incoming);
  const { method, url, headers } = incoming;
  console.log(JSON.stringify({ method, url, authorization: headers.authorization, body }));
  answer.setHeader("content-type", "application/json");
  answer.end("{}");
});
server.listen(Number(port), "127.0.0.1", () => console.log("listening"));
