import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setInterval } from "node:timers/promises";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { startConsole } from "../../console/server/start-console.ts";
import { aFleet, type FleetRecords } from "../../test/support/console/console-snapshots.ts";
import { aManagedCluster } from "../../test/support/precache/precache-plan-objects.ts";

/** A request to the process of the console. `freeze` stores a copy of the page, which another server then sends. */
export type ConsoleRequest =
  | Readonly<{ verb: "change"; perSecond: number; seconds: number }>
  | Readonly<{ verb: "memory" }>
  | Readonly<{ verb: "freeze" }>;

/** The response to a request. The process also sends one response at its start, with the addresses of the pages. */
export type ConsoleResponse = Readonly<{ page?: string; still?: string; memoryMiB?: number }>;

const clustersPerReport = 1_000;
const sites = 70;
const writeEveryMs = 50;
const path = "/precaching";

/* Runs the console, and a server that sends the page as it was at the last `freeze`. Needs `--expose-gc`. */
const clusters = Number(process.argv[2]);
const names = Array.from({ length: clusters }, (_, index) => `cluster-${String(index).padStart(4, "0")}`);
const pulling = { imagesDone: 40, imagesTotal: 190, bytesDone: 9e9, bytesTotal: 4e10 };
const done: NonNullable<FleetRecords[string]> = {
  state: "Succeeded",
  reason: "Completed",
  imagesDone: 190,
  imagesTotal: 190,
};
const states: Record<string, FleetRecords[string]> = Object.fromEntries(
  names.map((name, index) => [name, index % 3 === 0 ? pulling : undefined]),
);

const hub = memoryHub({ id: "https://api.hub.example.com:6443", now: () => new Date() });
for (const [index, name] of names.entries())
  hub.put(aManagedCluster(name, { labels: { site: `site-${index % sites}` } }));

function reportOf(share: number): readonly KubernetesObject[] {
  const some = names.slice(share * clustersPerReport, (share + 1) * clustersPerReport);
  return aFleet(Object.fromEntries(some.map((name) => [name, states[name]])))
    .slice(1)
    .map((report) => ({ ...report, metadata: { ...report.metadata, name: `upgrade-${share}` } }));
}
const [upgrade] = aFleet(states);
const revisionOf = (report: KubernetesObject) => ({ ...report, revision: revision ?? report.revision });
const revision = aFleet(states)[1]?.revision;
function write(share: number): void {
  for (const report of reportOf(share)) hub.put(revisionOf(report));
}
if (upgrade) hub.put(upgrade);
for (let share = 0; share * clustersPerReport < clusters; share++) write(share);

const running = await startConsole({ hub, address: "127.0.0.1", port: 0 });

type Sent = Readonly<{ headers: Readonly<Record<string, string>>; body: Uint8Array }>;
const sent = new Map<string, Sent>();

async function freeze(): Promise<void> {
  sent.clear();
  const load = async (address: string): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<Sent>();
    const { get } = await import("node:http");
    get(running.url + address, { headers: { "accept-encoding": "gzip" } }, async (response) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const { "content-type": type = "", "content-encoding": encoding = "identity" } = response.headers;
      const headers = { "content-type": type, "content-encoding": encoding };
      resolve({ headers, body: Buffer.concat(chunks) });
    }).on("error", reject);
    sent.set(address, await promise);
  };
  await load(path);
  const text = await (await fetch(running.url + path)).text();
  for (const [, asset = ""] of text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)) await load(asset);
}

const still = createServer((request, response) => {
  const found = sent.get(request.url ?? "");
  response.writeHead(found ? 200 : 204, { ...found?.headers, "content-length": found?.body.byteLength ?? 0 });
  response.end(found?.body);
});
still.listen(0, "127.0.0.1");
await once(still, "listening");

let next = 0;
async function change(perSecond: number, seconds: number): Promise<void> {
  const perWrite = Math.round((perSecond * writeEveryMs) / 1_000);
  let writes = (seconds * 1_000) / writeEveryMs;
  for await (const _ of setInterval(writeEveryMs)) {
    if (writes-- <= 0) return;
    const shares = new Set<number>();
    for (let count = 0; count < perWrite; count++) {
      const index = next++ % clusters;
      const name = names[index] ?? "";
      states[name] = states[name] === done ? pulling : done;
      shares.add(Math.floor(index / clustersPerReport));
    }
    for (const share of shares) write(share);
  }
}

function memoryMiB(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}

const respond = (response: ConsoleResponse) => process.send?.(response);
process.on("message", async (request: ConsoleRequest) => {
  if (request.verb === "change") await change(request.perSecond, request.seconds);
  if (request.verb === "freeze") await freeze();
  respond(request.verb === "memory" ? { memoryMiB: memoryMiB() } : {});
});
const { port } = still.address() as AddressInfo;
respond({ page: `${running.url}${path}`, still: `http://127.0.0.1:${port}${path}` });
