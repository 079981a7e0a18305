import { createServer } from "node:http";
import { text } from "node:stream/consumers";

/**
 * The part of a managed cluster's API that the workload uses: `node node-api.ts PORT`. Accepts patches of ConfigMaps.
 * Prints a line when it accepts connections, and then each request with its path, its token and its body.
 */
const [port = ""] = process.argv.slice(2);

const server = createServer(async (incoming, response) => {
  const body = await text(incoming);
  const { method, url, headers } = incoming;
  console.log(JSON.stringify({ method, url, authorization: headers.authorization, body }));
  response.setHeader("content-type", "application/json");
  response.end("{}");
});
server.listen(Number(port), "127.0.0.1", () => console.log("listening"));
