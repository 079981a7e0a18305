import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";

/**
 * A registry that fails: `node faulty-registry.ts ADDRESS UPSTREAM FAULT COUNT`. It forwards to the real registry at
 * UPSTREAM and applies FAULT to the first COUNT requests for layers: `fail` returns 503, `stall` sends half of the
 * layer and then nothing, `refuse` returns 401. Prints a line when it accepts connections.
 */
const [address = "", upstream = "", fault = "", count = "0"] = process.argv.slice(2);
let left = Number(count);

function passOn(incoming: IncomingMessage, response: ServerResponse, isStalled: boolean): void {
  const { method, url, headers } = incoming;
  const asking = request({ host: upstream, method, path: url, headers }, (from) => {
    response.writeHead(from.statusCode ?? 502, from.headers);
    if (!isStalled) {
      from.pipe(response);
      return;
    }
    const half = Math.floor(Number(from.headers["content-length"]) / 2);
    let sent = 0;
    from.on("data", (chunk: Buffer) => {
      response.write(chunk.subarray(0, Math.max(half - sent, 0)));
      sent += chunk.length;
    });
  });
  asking.on("error", () => response.destroy());
  incoming.pipe(asking);
}

const server = createServer((incoming, response) => {
  const isFaulty = left > 0 && incoming.method === "GET" && incoming.url?.includes("/blobs/") === true;
  if (isFaulty) left--;
  if (isFaulty && fault !== "stall") {
    incoming.resume();
    response.writeHead(fault === "refuse" ? 401 : 503).end();
    return;
  }
  passOn(incoming, response, isFaulty);
});
server.listen(80, address, () => console.log("listening"));
