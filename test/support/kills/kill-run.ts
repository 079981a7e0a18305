import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { mirrorConfig } from "#functions/mirror-config/reaction.ts";
import { openDirectoryHub } from "#shared/adapters/directory-hub.ts";
import { sqsClient } from "#shared/adapters/sqs-client.ts";
import { sqsQueue } from "#shared/adapters/sqs-queue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { reconcile } from "#shared/shell/reconcile.ts";
import { environmentOf } from "../deployment.ts";
import { startHubrelay } from "../hubrelay-process.ts";
import { aClusterVersion, anImageConfig, aPool } from "../objects.ts";
import { startLogging } from "../process-lines.ts";
import { edits, makeEdit, markWith } from "./edits.ts";
import { contentOf, sourcesOf } from "./hub-content.ts";
import { type KeptProcess, keep } from "./kept-process.ts";
import { watchMarks } from "./marker-times.ts";

export type KillRun = Readonly<{
  /** What the hub holds at the end, and what a run without a kill makes of the same sources. */
  result: unknown;
  clean: unknown;
  kills: Readonly<Record<string, number>>;
  edits: number;
  /** Milliseconds from an edit to the MachineConfig that has it, ascending. */
  waits: readonly number[];
  deadLetters: number;
}>;

const queueServer = fileURLToPath(new URL("../queue-server-child.ts", import.meta.url));
const now = () => new Date();

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("no port is free");
  return address.port;
}

async function aFolder(stack: AsyncDisposableStack, name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `hubrelay-${name}-`));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A directory hub that begins with these objects. */
async function aHub(stack: AsyncDisposableStack, name: string, items: readonly KubernetesObject[]) {
  const directory = await aFolder(stack, name);
  await writeFile(join(directory, "hub.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const hub = stack.adopt(openDirectoryHub(directory, { id: "urn:test:hub" }), (opened) => opened.close());
  return { directory, hub };
}

/** What one process that nobody kills makes of these sources. */
async function cleanRun(stack: AsyncDisposableStack, sources: readonly KubernetesObject[]): Promise<unknown> {
  const { hub } = await aHub(stack, "clean", sources);
  const ports = { hub, outcomes: { publish: async () => undefined }, log: () => undefined, now };
  await reconcile(mirrorConfig, "cluster", ports);
  return contentOf(hub);
}

/** Resolves when nothing is left to be done for what the hub holds. */
async function settled(hub: Hub): Promise<void> {
  while ((await mirrorConfig.plan(hub, "cluster", now())).actions.length > 0) await sleep(50);
}

/**
 * Edits a hub continuously while forwarder, workers and queue server are killed at random, so often as is said,
 * and compares what is there in the end with a clean run. The seed decides what is edited and who is killed
 * when; what the processes are doing then is the machine's own choice.
 */
export async function killRun({
  kills,
  seed,
  onKill = () => undefined,
}: Readonly<{ kills: number; seed: number; onKill?: (count: number) => void }>): Promise<KillRun> {
  await using stack = new AsyncDisposableStack();
  const start = [anImageConfig(), aClusterVersion(), aPool("worker"), aPool("master")];
  const { directory, hub } = await aHub(stack, "kills", start);
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const topicArn = "arn:aws:sns:us-east-1:000000000000:outcomes";
  const environment = {
    ...environmentOf(endpoint, directory, topicArn),
    HUBRELAY_LOG_LEVEL: "info",
  };
  const queues = await aFolder(stack, "queues");
  const processes: readonly KeptProcess[] = [
    keep("queue server", () => startLogging(queueServer, [queues, String(port)], environment)),
    keep("forwarder", () => startHubrelay(["forward"], environment)),
    keep("worker a", () => startHubrelay(["work"], environment)),
    keep("worker b", () => startHubrelay(["work"], environment)),
  ];
  stack.defer(async () => {
    await Promise.all(processes.map((kept) => kept.stop()));
  });
  await Promise.all(processes.map((kept) => kept.running()));
  const marks = watchMarks(hub);
  stack.defer(() => marks.stop());

  let number = 0;
  const isKilling = new AbortController();
  const editing = (async () => {
    for (const edit of fc.sample(edits, { numRuns: 100_000, seed })) {
      if (isKilling.signal.aborted) return;
      await makeEdit(hub, edit);
      await markWith(hub, ++number);
      marks.set(number);
      await sleep(50 + edit.choice * 10);
    }
  })();

  const counts: Record<string, number> = {};
  const plans = fc.sample(fc.record({ pauseMs: fc.nat(1_000), victim: fc.nat(processes.length - 1) }), {
    numRuns: kills,
    seed,
  });
  for (const [count, { pauseMs, victim }] of plans.entries()) {
    const kept = processes[victim];
    if (!kept) continue;
    // All run at least for a moment: kills without pause would only show that nothing runs.
    await Promise.all(processes.map((one) => one.running()));
    await sleep(pauseMs);
    await kept.kill();
    counts[kept.name] = (counts[kept.name] ?? 0) + 1;
    onKill(count + 1);
  }
  isKilling.abort();
  await editing;
  await marks.seen(number);
  await settled(hub);

  const result = await contentOf(hub);
  const sources = await sourcesOf(hub);
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const sqs = stack.adopt(sqsClient({ region: "us-east-1", endpoint, credentials }), (one) => one.destroy());
  const { visible } = await sqsQueue(sqs, `${endpoint}/000000000000/mirror-configs-dead-letters`).depth();
  return {
    result,
    clean: await cleanRun(stack, sources),
    kills: counts,
    edits: number,
    waits: marks.waits.toSorted((a, b) => a - b),
    deadLetters: visible,
  };
}
