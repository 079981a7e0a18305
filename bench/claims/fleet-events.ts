import { join } from "node:path";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { sqsClient, sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import { startQueueWorker } from "#shared/adapters/worker/queue-worker.ts";
import { hubEvent } from "#shared/domain/events/hub-event.ts";
import { type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import type { Queue } from "#shared/ports/queue.ts";
import type { Controller } from "#shared/runtime/controller.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { startHub, type TestHub } from "../../test/cluster/support/clusters/hub.ts";
import { readAuditLog } from "../../test/cluster/support/observe/audit-log.ts";
import { missingForCluster } from "../../test/cluster/support/programs/programs.ts";
import { startLogging } from "../../test/support/processes/process-lines.ts";
import type { Claim, Row } from "../claim.ts";
import { elapsedOf, median } from "../measure.ts";
import { fleetWatches, forAll, makeFleet, withProgress } from "../support/fleet.ts";

const lanes = 4;
const idle = "the same statuses written, without a forwarder";
const bareQueue = "the same messages sent in tens, received and deleted";
const child = (name: string) => join(import.meta.dirname, "../support", name);

/** Counts the distinct keys that a worker has handled, and resolves at the expected number. */
function countdown() {
  let wanted = 0;
  let seen = new Set<string>();
  let done = Promise.withResolvers<void>();
  return {
    note(key: string) {
      seen.add(key);
      if (seen.size >= wanted) done.resolve();
    },
    /** Resolves when this number of distinct keys has been noted from now on. */
    expect(count: number): Promise<void> {
      wanted = count;
      seen = new Set();
      done = Promise.withResolvers();
      return done.promise;
    },
  };
}

/** Starts a worker whose function only notes the key. */
function trivialWorker(sqs: SQSClient, queue: Queue, note: (key: string) => void) {
  const nothing = { decisions: [], issues: [], actions: [] };
  const controller: Controller<never> = {
    ...fleetWatches,
    plan: async ({ key }) => {
      note(key);
      return nothing;
    },
  };
  const never = async () => {
    throw new Error("the trivial function reads and writes nothing");
  };
  const hub = {
    id: "bench",
    get: never,
    list: never,
    create: never,
    update: never,
    updateStatus: never,
    delete: never,
    watch: async function* () {},
  };
  const handler = hubEventHandler(controller, {
    hub,
    external: {},
    queue,
    deadLetters: queue,
    outcomes: { publish: async () => undefined },
    log: (entry) => {
      if (entry.event === "failed" || entry.event === "retry") throw new Error(JSON.stringify(entry));
    },
    now: () => new Date(),
  });
  const onError = (error: unknown) => console.error(error);
  return startQueueWorker({ sqs, queueUrl: queue.url, handler, concurrency: lanes, onError });
}

/** Measures the milliseconds in which the same number of lanes send, receive and delete these bodies. */
function throughBareQueue(queue: Queue, bodies: readonly string[]): Promise<number> {
  return elapsedOf(async () => {
    const batches = Array.from({ length: Math.ceil(bodies.length / 10) }, (_, index) =>
      bodies.slice(index * 10, index * 10 + 10),
    ).values();
    let left = bodies.length;
    const empty = new AbortController();
    const sending = async () => {
      for (const batch of batches) await queue.send(batch.map((body) => ({ body })));
    };
    const receiving = async () => {
      while (left > 0) {
        const some = await queue.receive({ waitSeconds: 20, signal: empty.signal });
        await queue.delete(some.map(({ receiptHandle }) => receiptHandle));
        left -= some.length;
        if (left <= 0) empty.abort();
      }
    };
    await Promise.all(Array.from({ length: lanes }, () => Promise.all([sending(), receiving()])));
  });
}

/** Counts the requests of a user agent to the hub so far. */
async function requestsOf(server: TestHub, userAgent: string): Promise<number> {
  const own = (await readAuditLog(server.auditLog)).filter((event) => event.userAgent === userAgent);
  const begun = own.filter(({ verb, status }) => verb !== "watch" || status === 200);
  return begun.length;
}

async function measure(clusters: number, rounds: number): Promise<readonly Row[]> {
  await using cleanup = new AsyncDisposableStack();
  const server = await startHub();
  cleanup.defer(() => server.stop());
  const hub = kubernetesHub(server.admin.kubeConfig, { userAgent: "fleet" });
  cleanup.defer(() => hub.close());
  let works = await makeFleet(clusters, hub, server.api);

  const messaging = startLogging(child("fleet-queue-child.ts"), ["fleet", "bare"], { PATH: "" });
  cleanup.defer(async () => {
    await messaging.end("SIGKILL");
  });
  const { endpoint } = await messaging.logged(({ event }) => event === "started");
  const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };
  const sqs = sqsClient({ region: "us-east-1", endpoint: String(endpoint), credentials });
  cleanup.defer(async () => sqs.destroy());
  const urlOf = (name: string) => `${endpoint}/000000000000/${name}`;
  const handled = countdown();
  const worker = trivialWorker(sqs, sqsQueue(sqs, urlOf("fleet")), handled.note);
  cleanup.defer(() => worker.stop());

  const progress = async (images: number): Promise<number> =>
    elapsedOf(async () => {
      const after: KubernetesObject[] = [];
      await forAll(works, async (work) => {
        after.push(await hub.updateStatus(withProgress(work, images)));
      });
      works = after;
    });
  const bodies = works.map((work) =>
    JSON.stringify(hubEvent("update", referenceTo(work), { source: hub.id })),
  );

  const startMs: number[] = [];
  const bareMs: number[] = [];
  const followedMs: number[] = [];
  const writtenMs: number[] = [];
  const peaks: number[] = [];
  const emptyMiB: number[] = [];
  let images = 0;
  const before = await requestsOf(server, "hubrelay");
  for (let round = 0; round < rounds; round++) {
    bareMs.push(await throughBareQueue(sqsQueue(sqs, urlOf("bare")), bodies));
    writtenMs.push(await progress(++images));
    const all = handled.expect(clusters);
    const args = [server.admin.kubeConfigFile, String(endpoint), urlOf("fleet")];
    const forwarder = startLogging(child("forwarder-child.ts"), args, { PATH: "" });
    cleanup.defer(async () => {
      await forwarder.end("SIGKILL");
    });
    const started = await forwarder.logged(({ event }) => event === "started");
    emptyMiB.push(Number(started.residentMiB));
    startMs.push(await elapsedOf(() => all));
    await forwarder.logged(({ event }) => event === "synced");
    followedMs.push(
      await elapsedOf(async () => {
        const again = handled.expect(clusters);
        await progress(++images);
        await again;
      }),
    );
    await forwarder.end("SIGTERM");
    peaks.push(Number((await forwarder.logged(({ event }) => event === "memory")).peakMiB));
  }
  const requests = (await requestsOf(server, "hubrelay")) - before;
  const hubRequestsPerEvent = requests / (2 * rounds * clusters);
  const perSecond = (ms: number) => (1000 * clusters) / ms;
  const count = clusters.toLocaleString("en");
  return [
    {
      subject: `${count} ManifestWorks' statuses from the hub to the function, at the forwarder's start`,
      against: bareQueue,
      ratio: median(bareMs) / median(startMs),
      goal: { atLeast: 0.2 },
      numbers: {
        eventsPerSecond: perSecond(median(startMs)),
        floorMessagesPerSecond: perSecond(median(bareMs)),
      },
    },
    {
      subject: `${count} statuses written one after another, until the function knows the last`,
      against: idle,
      ratio: median(followedMs) / median(writtenMs),
      numbers: { followedMs: median(followedMs), writtenMs: median(writtenMs) },
    },
    {
      subject: "requests of the forwarder to the hub per event",
      against: "a read for each event",
      ratio: hubRequestsPerEvent,
      goal: { atMost: 0.1 },
      numbers: { hubRequestsPerEvent },
    },
    {
      subject: `the forwarder's peak memory with ${count} ManifestWorks`,
      against: "the same process before its first event",
      ratio: median(peaks) / median(emptyMiB),
      numbers: { peakMiB: median(peaks), emptyMiB: median(emptyMiB) },
    },
  ];
}

export const fleetEvents: Claim = {
  name: "fleet-events",
  goal:
    "the statuses of a fleet's ManifestWorks reach a function that does nothing at least 0.2 times as fast as the " +
    "same messages pass the bare queue; and the forwarder sends the hub less than one request per ten events",
  async run({ smoke }) {
    const missing = missingForCluster();
    if (missing) return [{ subject: "a fleet's ManifestWorks", against: bareQueue, skipped: missing }];
    return measure(smoke ? 200 : 3_500, smoke ? 1 : 3);
  },
};
