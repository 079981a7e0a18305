import type { Context } from "aws-lambda";
import { maintenanceWindow } from "#functions/maintenance-window/controller.ts";
import { precacheCluster } from "#functions/precache-cluster/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { endOf } from "#functions/precache-status/watches.ts";
import { resync } from "#functions/resync/resync.ts";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import {
  isKind,
  type KubernetesObject,
  kinds,
  type ObjectReference,
  referenceTo,
} from "#shared/domain/kubernetes/object.ts";
import { hubEvent } from "#shared/domain/plan/hub-event.ts";
import type { OutcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import { checkRunOf, runOf, workLabels } from "#shared/domain/precache-model/work-identity.ts";
import { feedbackOf, isFinished } from "#shared/domain/precache-progress/feedback.ts";
import type { ExternalPorts } from "#shared/ports/external-ports.ts";
import type { HubError, ObjectChange } from "#shared/ports/hub.ts";
import type { LogEntry } from "#shared/ports/log.ts";
import type { Ports } from "#shared/ports/ports.ts";
import type { OutgoingMessage, Queue } from "#shared/ports/queue.ts";
import type { Controller, Watch } from "#shared/runtime/controller.ts";
import { changeFilter } from "#shared/runtime/forwarder/changes.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { seededRandom } from "../../../cli/simulation/fates.ts";
import { type JobReport, withReport } from "../../../cli/simulation/reported-status.ts";
import { faultyHub } from "../hub/faulty-hub.ts";
import { anObject } from "../hub/objects.ts";
import { stepped } from "../hub/stepped.ts";
import { schemaProblems } from "../messages/outcome-schema.ts";
import { sendingQueue } from "../messages/sending-queue.ts";
import { aRecord } from "../messages/sqs-record.ts";
import { precachingPorts } from "./precaching-ports.ts";

export const start = new Date("2026-03-01T02:00:00Z");
const release = `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`;
const followers: readonly Controller[] = [precacheCluster, precacheStatus, maintenanceWindow];

/** The ports of any function. */
export type AllPorts = Ports<keyof ExternalPorts>;

/** The ports of one batch. After a fault no message is deleted, and the next process receives them at once. */
export type BatchPorts = AllPorts & Readonly<{ hasFailed?(): boolean }>;

/** Replaces the ports of a batch; `changes` are those of the hub so far. */
export type Around = (
  ports: AllPorts,
  controller: Controller,
  changes: readonly ObjectChange[],
) => BatchPorts;

type Waiting = Pick<OutgoingMessage, "body" | "attributes"> & {
  at: number;
  receives: number;
  sentAt?: number;
};

/** How messages are delivered; by default each once and in order. */
export type Delivery = Readonly<{
  /** The number of messages that a batch takes from the front of the queue. */
  batchSize: number;
  /** Changes the content of a queue before a batch is taken: shuffles, repeats, loses. */
  disturb?(messages: Waiting[]): void;
  /** The process that handles the batch, with what it remembers; by default a new one. */
  process?: object;
}>;

/** What a hub selects by labels. */
function isLabelled({ selector = {} }: Watch, { metadata }: KubernetesObject): boolean {
  const has = (label: string) => metadata.labels?.[label] !== undefined;
  const { withLabel, withoutLabel } = selector;
  return (withLabel === undefined || has(withLabel)) && (withoutLabel === undefined || !has(withoutLabel));
}

/** A ClusterGroupUpgrade as planning leaves it. */
export function aPlannedUpgrade(
  clusters: readonly string[],
  {
    name = "upgrade",
    maxConcurrency = clusters.length,
    timeout = 240,
    annotations = {},
    platformImage = release,
  }: Readonly<{
    name?: string;
    maxConcurrency?: number;
    timeout?: number;
    annotations?: Readonly<Record<string, string>>;
    platformImage?: string;
  }> = {},
): KubernetesObject {
  const met = { status: "True", message: "", lastTransitionTime: "2026-03-01T02:00:00Z" };
  const conditions = [
    { ...met, type: "ClustersSelected", reason: "ClusterSelectionCompleted" },
    { ...met, type: "Validated", reason: "ValidationCompleted" },
    { ...met, type: "PrecacheSpecValid", reason: "PrecacheSpecIsWellFormed" },
  ];
  const precaching = { spec: { platformImage, spaceRequired: "45" }, clusters };
  const remediationStrategy = { maxConcurrency, timeout };
  return anObject(
    kinds.ClusterGroupUpgrade,
    { namespace: "default", name, annotations },
    {
      spec: { clusters, preCaching: true, enable: false, remediationStrategy },
      status: { conditions, precaching },
    },
  );
}

/**
 * The functions of running upgrades, or those that are `served`, on an in-memory hub with in-memory queues and a clock
 * that stands still until it is set: everything that happens is a step that a test takes. `around` may replace or
 * record the ports of each batch.
 */
export function precacheSystem(
  fault?: (request: string, reference: ObjectReference) => HubError | undefined,
  served: readonly Controller[] = followers,
  around: Around = (ports) => ports,
) {
  let time = start.getTime();
  const now = () => new Date(time);
  const queues = new Map<string, Waiting[]>(served.map(({ queue }) => [queue, []]));
  const entries: LogEntry[] = [];
  const outcomes: OutcomeEvent[] = [];
  /** The number of outcomes that are already validated against their schemas. */
  let checked = 0;
  const deadLetters: string[] = [];
  const jobs = new Map<string, string[]>();
  const changes: ObjectChange[] = [];
  /** Every message that a function has received. */
  const received: Readonly<{ queue: string; body: string }>[] = [];
  let isForwarding = true;

  /** Number of requests until the process is killed; later requests have no effect. */
  let lifetime = Number.POSITIVE_INFINITY;
  let wasKilled = false;
  const handlers = new WeakMap<object, ReturnType<typeof hubEventHandler>>();
  const live = <Result>(request: () => Promise<Result>): Promise<Result> =>
    --lifetime < 0 ? Promise.reject(new Error("killed")) : request();

  /** A message arrives at the queue of a function, unless no such function is served. */
  function deliver(
    queue: string,
    body: string,
    { delaySeconds = 0, attributes = {} }: Omit<OutgoingMessage, "body"> = {},
  ): void {
    queues.get(queue)?.push({ body, attributes, at: time + delaySeconds * 1000, receives: 0 });
  }

  const queueNamed = (name: string): Queue =>
    sendingQueue(name, (messages: readonly OutgoingMessage[]) =>
      live(async () => {
        for (const { body, ...more } of messages) deliver(name, body, more);
      }),
    );

  /** The clock stands still: clusters that would be read again some seconds later are read again at once. */
  function readAgain(work: KubernetesObject): void {
    const run = runOf(work);
    const { apiVersion, kind } = kinds.ClusterGroupUpgrade;
    if (!run) return;
    const body = JSON.stringify(
      hubEvent("add", { apiVersion, kind, ...run.cgu }, { source: "urn:test:hub" }),
    );
    const waiting = queues.get(precacheStatus.queue);
    if (!waiting?.some((message) => message.body === body && message.at <= time))
      deliver(precacheStatus.queue, body);
  }

  // precache-cluster gets its messages only from other functions.
  const followers = served
    .filter(({ name }) => name !== precacheCluster.name)
    .flatMap(({ queue, watches }) =>
      watches.map((watch) => ({ watch, queue, isChange: changeFilter(watch) })),
    );
  /** The forwarder, without its pauses: sends what affects a function to its queue. */
  function forward({ verb, object }: ObjectChange): void {
    changes.push({ verb, object });
    if (isKind(kinds.ManifestWork, object) && verb === "add") {
      const { namespace = "", name } = object.metadata;
      jobs.set(namespace, [...(jobs.get(namespace) ?? []), name]);
    }
    if (!isForwarding) return;
    if (isKind(kinds.ManifestWork, object) && verb !== "delete" && !endOf(object, verb)) readAgain(object);
    for (const { watch, queue, isChange } of followers) {
      if (!isKind(watch.kind, object) || !isLabelled(watch, object) || !isChange({ verb, object })) continue;
      const reference = watch.refersTo ? watch.refersTo(object, verb) : referenceTo(object);
      if (!reference) continue;
      deliver(queue, JSON.stringify(hubEvent(verb, reference, { source: "urn:test:hub" })));
    }
  }
  const hub = memoryHub({ id: "urn:test:hub", now, onChange: forward });
  const { hub: faulty, requests } = faultyHub(hub, fault);

  const killable = stepped(faulty, live);

  const portsOf = (controller: Controller): AllPorts => ({
    hub: killable,
    external: precachingPorts,
    queue: queueNamed(controller.queue),
    queueNamed,
    deadLetters: {
      ...queueNamed("dead"),
      send: async (some) => void deadLetters.push(...some.map(({ body }) => body)),
    },
    outcomes: { publish: (events) => live(async () => void outcomes.push(...events)) },
    log: (entry) => entries.push(entry),
    now,
  });

  /** One batch of one function, killed after this many requests; returns false when there was nothing to do. */
  async function step(
    controller: Controller,
    { batchSize, disturb, process = {} }: Delivery,
    killedAfter = Number.POSITIVE_INFINITY,
  ): Promise<boolean> {
    const queue = queues.get(controller.queue) ?? [];
    disturb?.(queue);
    const due = queue.filter((message) => message.at <= time).slice(0, batchSize);
    wasKilled = false;
    if (due.length === 0) return false;
    for (const message of due) {
      queue.splice(queue.indexOf(message), 1);
      message.receives++;
      message.sentAt ??= time;
      received.push({ queue: controller.queue, body: message.body });
    }
    lifetime = killedAfter;
    const ports = around(portsOf(controller), controller, changes);
    const handler = handlers.get(process) ?? hubEventHandler(controller, ports);
    handlers.set(process, handler);
    const { batchItemFailures } = await handler(
      {
        Records: due.map(({ body, receives, sentAt = time, attributes }, index) =>
          aRecord(`m${index}`, body, { receiveCount: receives, sentAt, attributes }),
        ),
      },
      {} as Context,
    );
    const problems = schemaProblems(outcomes.slice(checked));
    if (problems.length > 0) throw new Error(problems.join("\n"));
    checked = outcomes.length;
    wasKilled = lifetime < 0;
    lifetime = Number.POSITIVE_INFINITY;
    if (ports.hasFailed?.()) {
      queue.unshift(...due);
      return step(controller, { batchSize });
    }
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    // The messages of a killed process are not deleted.
    for (const [index, message] of due.entries())
      if (wasKilled || failed.has(`m${index}`)) queue.push({ ...message, at: time + 1_000 });
    return true;
  }

  function reportRuns(
    find: typeof runOf | typeof checkRunOf,
    report: JobReport,
    clusters?: readonly string[],
  ): void {
    for (const work of system.works()) {
      const run = find(work);
      if (run && (!clusters || clusters.includes(work.metadata.namespace ?? "")))
        hub.put(withReport(work, run, report));
    }
  }

  const system = {
    hub,
    requests,
    changes,
    entries,
    outcomes,
    deadLetters,
    queues,
    deliver,
    /** The ManifestWorks that were ever created, by cluster. */
    jobs,
    now,
    step,
    /** True if the process of the latest batch was killed. */
    wasKilled: () => wasKilled,
    served,
    /** Time passes; delayed messages become due. */
    pass(seconds: number): void {
      time += seconds * 1000;
    },
    /** Events are lost from now on, or delivered again. */
    forward(isOn: boolean): void {
      isForwarding = isOn;
    },
    /** The functions work until nothing is due. */
    async settle(delivery: Delivery = { batchSize: 100 }): Promise<void> {
      for (let rounds = 0; rounds < 10_000; rounds++) {
        const worked = await Promise.all(served.map((controller) => step(controller, delivery)));
        if (!worked.includes(true)) return;
      }
      throw new Error("the functions do not come to rest");
    },
    /** Time passes, a tick names everything that the functions reconcile, and they work until nothing is due. */
    async settleByTick(seconds: number): Promise<void> {
      system.pass(seconds);
      await resync(hub, served, queueNamed);
      await system.settle();
    },
    /** Every message comes again so many times: in reverse order, or in the one that a seed makes. */
    async settleByRepeats(copies: number, seed?: number): Promise<void> {
      const random = seededRandom(seed ?? 0);
      const all = received.flatMap((message) => Array.from({ length: copies }, () => message));
      const order = all.map((message, index) => ({ message, place: seed === undefined ? -index : random() }));
      for (const { message } of order.toSorted((a, b) => a.place - b.place))
        deliver(message.queue, message.body);
      await system.settle();
    },
    /** A planned upgrade. */
    plan(upgrade: KubernetesObject): void {
      hub.put(upgrade);
    },
    /** The resync tick. */
    resync(): void {
      for (const cgu of hub.all(kinds.ClusterGroupUpgrade)) {
        const event = hubEvent("add", referenceTo(cgu), { source: "urn:test:hub" });
        deliver(precacheStatus.queue, JSON.stringify(event));
      }
    },
    /** The tick of maintenance windows, which names every window. */
    tick(): void {
      for (const window of hub.all(kinds.MaintenanceWindow)) {
        const event = hubEvent("add", referenceTo(window), { source: "urn:test:hub" });
        deliver(maintenanceWindow.queue, JSON.stringify(event));
      }
    },
    works: (cluster?: string): readonly KubernetesObject[] =>
      hub
        .all(kinds.ManifestWork)
        .filter(
          ({ metadata }) => metadata.labels?.[workLabels.cgu] && (!cluster || metadata.namespace === cluster),
        ),
    /** The clusters where a Job may run: their work has reported no end, and is not suspended. */
    mayRun: (): readonly string[] =>
      system
        .works()
        .filter((work) => {
          const feedback = feedbackOf(work);
          return feedback && !feedback.isHeld && !isFinished(feedback);
        })
        .map(({ metadata }) => metadata.namespace ?? ""),
    /** The agents of these clusters report the progress of their newest work. */
    report: (report: JobReport, clusters?: readonly string[]) => reportRuns(runOf, report, clusters),
    /** The agents of these clusters report the result of their checks. */
    reportCheck: (report: JobReport, clusters?: readonly string[]) =>
      reportRuns(checkRunOf, report, clusters),
    upgrade: (name = "upgrade") => hub.find(kinds.ClusterGroupUpgrade, name, "default"),
    states(name = "upgrade"): Readonly<Record<string, string>> {
      return Object(system.upgrade(name)?.status).precaching?.status ?? {};
    },
    condition(name = "upgrade") {
      const conditions = Object(system.upgrade(name)?.status).conditions ?? [];
      const { status, reason, message } = conditions.at(-1) ?? {};
      return `${status} ${reason}: ${message}`;
    },
    records(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
      return Object.assign({}, ...hub.all(kinds.PreCachingReport).map(({ clusters }) => clusters));
    },
    count: (request: string): number => requests.get(request) ?? 0,
  };
  return system;
}

export type PrecacheSystem = ReturnType<typeof precacheSystem>;
