import { existsSync } from "node:fs";
import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { aClusterVersion, anImageConfig, aPool } from "../../test/support/hub/objects.ts";
import { markWith } from "../../test/support/kills/edits.ts";
import { watchMarks } from "../../test/support/kills/marker-times.ts";
import { startHubrelay } from "../../test/support/processes/hubrelay-process.ts";
import { podOptions } from "../../test/support/processes/pod-options.ts";
import type { Claim, Row } from "../claim.ts";
import { percentile } from "../measure.ts";
import {
  type ChangingKind,
  hostedClusters,
  managedClusters,
  manifestWorks,
} from "../support/change-server.ts";
import { startMemoryApi } from "../support/memory-api.ts";

const perSecond = 500;
const allowedMs = 1_000;
const allowedMiB = 400;
const hosted = 500;

function objectOf({ kind, count, object }: ChangingKind, change: number) {
  const { apiVersion, kind: name } = kind;
  const made = object(change % count, change);
  return { apiVersion, kind: name, ...made };
}

async function startOnHub(cleanup: AsyncDisposableStack, changing: readonly ChangingKind[]) {
  const { path: folder } = cleanup.use(await mkdtempDisposable(join(tmpdir(), "hubrelay-run-")));
  const api = await startMemoryApi();
  cleanup.defer(() => api.stop());
  for (const object of [anImageConfig(), aClusterVersion(), aPool("worker")]) api.hub.put(object);
  for (const kind of changing)
    for (let index = 0; index < kind.count; index++) api.hub.put(objectOf(kind, index));
  const kubeConfig = join(folder, "kubeconfig");
  await writeFile(kubeConfig, api.kubeConfig);
  const running = startHubrelay(["run", "--lease", "hubrelay/hubrelay-forwarder"], {
    PATH: process.env.PATH ?? "",
    HUBRELAY_HUB: `kubeconfig:${kubeConfig}`,
    HUBRELAY_OUTCOME_SINKS: "{}",
    HUBRELAY_LOG_LEVEL: "info",
    HUBRELAY_WORKLOAD_IMAGE: "registry.lab/precache-workload:1",
    NODE_OPTIONS: (await podOptions("run/run.yaml")).nodeOptions,
  });
  cleanup.defer(async () => {
    await running.end("SIGKILL");
  });
  await running.logged(({ event }) => event === "synced");
  const marks = watchMarks(api.hub);
  cleanup.defer(() => marks.stop());
  return {
    hub: api.hub,
    marks,
    async edit(number: number) {
      marks.expect(number);
      await markWith(api.hub, number);
    },
    async peakMiB() {
      const status = await readFile(`/proc/${running.pid}/status`, "utf8");
      return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
  };
}

async function latencyRow(seconds: number): Promise<Row> {
  await using cleanup = new AsyncDisposableStack();
  const changing = [managedClusters(3_500), manifestWorks(3_500)];
  const { hub, marks, edit } = await startOnHub(cleanup, changing);
  await edit(1);
  await marks.seen(1);
  const start = performance.now();
  let sent = 0;
  let edits = 1;
  for (let elapsed = 0; elapsed < seconds; elapsed = (performance.now() - start) / 1000) {
    for (; sent < elapsed * perSecond; sent++) {
      const kind = changing[sent % changing.length];
      if (kind) hub.put(objectOf(kind, Math.floor(sent / changing.length)));
    }
    if (elapsed * 5 > edits) await edit(++edits);
    await sleep(10);
  }
  await marks.seen(edits);
  const p99 = percentile(marks.waits, 99);
  return {
    subject: `${perSecond} changes a second for ${seconds} s, half of them messages: from an edit until it is written, p99`,
    against: `${allowedMs} ms`,
    ratio: p99 / allowedMs,
    measures: "wall time",
    goal: { atMost: 1 },
    numbers: {
      p50Ms: percentile(marks.waits, 50),
      p99Ms: p99,
      longestMs: Math.max(...marks.waits),
      edits,
      changesPerSecond: sent / seconds,
    },
  };
}

/** Returns the row about the peak memory of `hubrelay run` on a hub with this many ManifestWorks. */
export async function memoryRow(objects: number): Promise<Row> {
  await using cleanup = new AsyncDisposableStack();
  const { marks, edit, peakMiB } = await startOnHub(cleanup, [
    managedClusters(3_500),
    hostedClusters(hosted),
    manifestWorks(objects),
  ]);
  await edit(1);
  await marks.seen(1);
  const peak = await peakMiB();
  return {
    subject: `peak memory with 3,500 clusters, ${hosted} hosted clusters and ${objects.toLocaleString("en")} ManifestWorks, read whole`,
    against: `${allowedMiB} MiB`,
    ratio: peak / allowedMiB,
    measures: "bytes",
    goal: { atMost: 1 },
    numbers: { peakMiB: peak },
  };
}

export const oneProcess: Claim = {
  name: "one-process",
  goal:
    `hubrelay run writes what follows from an edit within ${allowedMs} ms at p99 while a hub changes ${perSecond} objects ` +
    `a second for ten minutes, and needs at most ${allowedMiB} MiB with 100,000 objects`,
  async run({ smoke }) {
    const memory: Row = existsSync("/proc/self/status")
      ? await memoryRow(smoke ? 5_000 : 100_000)
      : { subject: "peak memory", against: `${allowedMiB} MiB`, skipped: "needs Linux" };
    return [memory, await latencyRow(smoke ? 5 : 600)];
  },
};
