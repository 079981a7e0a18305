import { join } from "node:path";
import { kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { startHub } from "../../test/cluster/support/clusters/cluster.ts";
import { missingForCluster } from "../../test/cluster/support/programs/programs.ts";
import { startLogging } from "../../test/support/processes/process-lines.ts";
import type { Claim, Row } from "../claim.ts";
import { median, percentile } from "../measure.ts";
import { followed, marked, markOf } from "../support/follow.ts";

const child = (name: string) => join(import.meta.dirname, "../support", name);
const bare = "a bare watch and write";
const informer = "client-node's informer with a work queue";

function watchTarget(hub: Hub, signal: AbortSignal) {
  let present: string | undefined;
  let changed = Promise.withResolvers<void>();
  const watching = (async () => {
    for await (const change of hub.watch(kinds.ImageTagMirrorSet, signal)) {
      if (change.verb === "synced" || change.object.metadata.name !== followed) continue;
      present = markOf(change.object);
      changed.resolve();
      changed = Promise.withResolvers();
    }
  })();
  return {
    watching,
    async has(mark: string): Promise<void> {
      while (present !== mark) await changed.promise;
    },
  };
}

async function measure(changes: number, rounds: number): Promise<readonly Row[]> {
  await using cleanup = new AsyncDisposableStack();
  const server = await startHub();
  cleanup.defer(() => server.stop());
  const hub = kubernetesHub(server.admin.kubeConfig, { userAgent: "person" });
  cleanup.defer(() => hub.close());
  const end = new AbortController();
  const metadata = { name: followed };
  const rule = { source: "quay.io/acme", mirrors: ["mirror.example.com/acme"] };
  let source = await hub.create({
    ...{ apiVersion: kinds.ImageDigestMirrorSet.apiVersion, kind: "ImageDigestMirrorSet", metadata },
    spec: { imageDigestMirrors: [rule] },
  });
  await hub.create({
    ...{ apiVersion: kinds.ImageTagMirrorSet.apiVersion, kind: "ImageTagMirrorSet", metadata },
    spec: { imageTagMirrors: [rule] },
  });
  const target = watchTarget(hub, end.signal);
  cleanup.defer(async () => {
    end.abort();
    await target.watching;
  });

  let mark = 0;
  const change = async (): Promise<number> => {
    const wanted = String(++mark);
    const start = performance.now();
    source = await hub.update(marked(source, wanted));
    await target.has(wanted);
    return performance.now() - start;
  };

  const modes = ["bare", "hubrelay", "informer"].map((mode) => ({
    mode,
    ms: [] as number[],
    peaks: [] as number[],
  }));
  for (let round = 0; round < rounds; round++)
    for (const { mode, ms, peaks } of modes) {
      const args = [mode, server.admin.kubeConfigFile];
      const follower = startLogging(child("follower-child.ts"), args, { PATH: "" });
      cleanup.defer(async () => {
        await follower.end("SIGKILL");
      });
      await follower.logged(({ event }) => event === "synced");
      await change(); // the first change also opens the connection
      for (let turn = 0; turn < changes; turn++) ms.push(await change());
      await follower.end("SIGTERM");
      peaks.push(Number((await follower.logged(({ event }) => event === "memory")).peakMiB));
    }

  const [floor, ours, peer] = modes;
  if (!floor || !ours || !peer) throw new Error("there are three modes");
  const p50 = (mode: typeof floor) => percentile(mode.ms, 50);
  const p99 = (mode: typeof floor) => percentile(mode.ms, 99);
  const rowsAgainst = (against: string, other: typeof floor, goal: { atMost: number }): readonly Row[] => [
    {
      subject: "change on the API server until the object is written, p50",
      against,
      ratio: p50(ours) / p50(other),
      measures: "wall time",
      goal,
      numbers: { subjectMs: p50(ours), peerMs: p50(other) },
    },
    {
      subject: "the same, p99",
      against,
      ratio: p99(ours) / p99(other),
      measures: "wall time",
      numbers: { subjectMs: p99(ours), peerMs: p99(other) },
    },
  ];
  return [
    ...rowsAgainst(bare, floor, { atMost: 1.4 }),
    ...rowsAgainst(informer, peer, { atMost: 1 }),
    {
      subject: "peak memory of forwarder, queue and worker in one process",
      against: informer,
      ratio: median(ours.peaks) / median(peer.peaks),
      measures: "bytes",
      numbers: { subjectMiB: median(ours.peaks), peerMiB: median(peer.peaks), bareMiB: median(floor.peaks) },
    },
  ];
}

export const changeToWrite: Claim = {
  name: "change-to-write",
  goal:
    "from a change on the API server until the object that follows from it is written takes, through a queue, at " +
    "most 1.4 times as long at the median as a watch that writes at once, and no longer than an informer with a work queue",
  async run({ smoke }) {
    const missing = missingForCluster();
    if (missing) return [{ subject: "change to write", against: bare, skipped: missing }];
    return measure(smoke ? 20 : 200, smoke ? 1 : 3);
  },
};
