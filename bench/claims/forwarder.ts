import { existsSync } from "node:fs";
import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environmentOf } from "../../test/support/processes/deployment.ts";
import { startHubrelay } from "../../test/support/processes/hubrelay-process.ts";
import { podOptions } from "../../test/support/processes/pod-options.ts";
import { type Claim, type Row, steadyMemory } from "../claim.ts";
import {
  type ChangingKind,
  hostedClusters,
  machineConfigs,
  managedClusters,
  manifestWorks,
  startChangeServer,
} from "../support/change-server.ts";
import { startQueueServer } from "../support/queue-server.ts";

const allowedMiB = 120;
/** Changes per second on a busy hub. The benchmark sends its changes as fast as the clients read them. */
const perSecond = 500;
const seconds = 600;
const functions = [
  "mirror-configs",
  "hosted-clusters",
  "precache-plans",
  "precache-feedback",
  "maintenance-windows",
];

async function startForwarder(cleanup: AsyncDisposableStack, changing: readonly ChangingKind[]) {
  const { path: folder } = cleanup.use(await mkdtempDisposable(join(tmpdir(), "hubrelay-forwarder-")));
  const hub = await startChangeServer(changing);
  cleanup.defer(() => hub.stop());
  const kubeConfig = join(folder, "kubeconfig");
  await writeFile(kubeConfig, hub.kubeConfig);
  const messaging = await startQueueServer(functions);
  cleanup.defer(() => messaging.stop());
  const endpoint = new URL(messaging.queue("mirror-configs").url).origin;
  const { nodeOptions } = await podOptions("forwarder/forwarder.yaml");
  const forwarder = startHubrelay(["forward", "--port", "0"], {
    ...environmentOf(endpoint, "", ""),
    HUBRELAY_HUB: `kubeconfig:${kubeConfig}`,
    HUBRELAY_LOG_LEVEL: "info",
    NODE_OPTIONS: nodeOptions,
  });
  cleanup.defer(async () => {
    await forwarder.end("SIGKILL");
  });
  const { address } = await forwarder.logged(({ event }) => event === "started");
  await forwarder.logged(({ event }) => event === "synced");

  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`http://${address}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  };
  return {
    hub,
    residentMiB: async () => (await metric("process_resident_memory_bytes")) / 2 ** 20,
    processorSeconds: () => metric("process_cpu_seconds_total"),
    async peakMiB() {
      const status = await readFile(`/proc/${forwarder.pid}/status`, "utf8");
      return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
  };
}

async function peakWith(...changing: readonly ChangingKind[]): Promise<number> {
  await using cleanup = new AsyncDisposableStack();
  const forwarder = await startForwarder(cleanup, changing);
  return await forwarder.peakMiB(); // before it is stopped
}

async function memoryRows(objects: number): Promise<readonly Row[]> {
  const emptyMiB = await peakWith();
  const rows: Row[] = [];
  for (const [what, changing] of [
    ["objects", machineConfigs(objects)],
    ["ManifestWorks, read whole", manifestWorks(objects)],
  ] as const) {
    const peakMiB = await peakWith(changing);
    rows.push({
      subject: `the forwarder's peak memory with ${objects.toLocaleString("en")} ${what}, above none`,
      against: `${allowedMiB} MiB`,
      ratio: (peakMiB - emptyMiB) / allowedMiB,
      measures: "bytes",
      goal: { atMost: 1 },
      numbers: { peakMiB, emptyMiB },
    });
  }
  return rows;
}

/** Returns rows about speed and memory. Memory is compared late: V8 collects garbage only when there is enough. */
async function changeRows(changes: number): Promise<readonly Row[]> {
  await using cleanup = new AsyncDisposableStack();
  const { hub, residentMiB, processorSeconds } = await startForwarder(cleanup, [
    managedClusters(3_500),
    hostedClusters(500),
  ]);
  const parts = 5;
  const memory: number[] = [];
  const before = await processorSeconds();
  const start = performance.now();
  for (let part = 0; part < parts; part++) {
    await hub.change(changes);
    memory.push(await residentMiB());
  }
  const elapsed = (performance.now() - start) / 1000;
  const processor = (await processorSeconds()) - before;
  const rate = (parts * changes) / elapsed;
  const count = changes.toLocaleString("en");
  return [
    {
      subject: `${parts} × ${count} changes, half of them messages: changes a second`,
      against: `${perSecond} a second`,
      ratio: rate / perSecond,
      measures: "wall time",
      goal: { atLeast: 1 },
      numbers: { changesPerSecond: rate, processorMsPerChange: (processor * 1000) / (parts * changes) },
    },
    steadyMemory("the forwarder's", memory.at(-3), memory.at(-1)),
  ];
}

export const forwarder: Claim = {
  name: "forwarder",
  goal:
    `the forwarder needs at most ${allowedMiB} MiB more with 100,000 objects than with none, and passes on as many ` +
    `changes as ${perSecond} a second are in ${seconds / 60} minutes, faster than they come, without growing`,
  async run({ smoke }) {
    const memory = existsSync("/proc/self/status")
      ? await memoryRows(smoke ? 5_000 : 100_000)
      : [{ subject: "the forwarder's peak memory", against: `${allowedMiB} MiB`, skipped: "needs Linux" }];
    return [...memory, ...(await changeRows(smoke ? 5_000 : perSecond * seconds))];
  },
};
