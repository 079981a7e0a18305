import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { sqsClient, sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import { deadLetterAttributes } from "#shared/domain/events/dead-letter.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { Queue } from "#shared/ports/queue.ts";
import { environmentOf } from "../processes/deployment.ts";
import { startHubrelay } from "../processes/hubrelay-process.ts";
import { type LoggingProcess, type LogLine, startLogging } from "../processes/process-lines.ts";
import { freePort } from "../servers/free-port.ts";
import { openWire } from "../servers/wire.ts";
import { countRun, seedOfRun } from "../setup/soak.ts";
import { breakableConnection } from "./breakable-connection.ts";
import { edits, makeEdit, markWith } from "./edits.ts";
import { contentOf } from "./hub-content.ts";
import { type KeptProcess, keep, type Victim } from "./kept-process.ts";
import { watchMarks } from "./marker-times.ts";

/** A hub that the processes work on while they are killed. */
export type HubUnderTest = Readonly<{
  /** For the edits of this process, and its reads at the end. */
  hub: Hub;
  /** HUBRELAY_HUB of each process. */
  settings: Readonly<{ forward: string; work: string; resync: string }>;
  /** What else is killed: the hub's own processes, and what is between them and the others. */
  victims: readonly Victim[];
  /** Returns the content that a run without kills derives from what people wrote. */
  cleanRun(): Promise<unknown>;
}>;

export type KillRun = Readonly<{
  result: unknown;
  clean: unknown;
  kills: Readonly<Record<string, number>>;
  edits: number;
  /** Milliseconds from an edit's first attempt to the MachineConfig that has it, ascending. */
  waits: readonly number[];
  /** The edits whose result was written after that of a later one. */
  late: readonly number[];
  deadLetters: number;
  /** The reasons of dead letters that a function gave up on. The others were received too often. */
  refused: readonly string[];
}>;

/** An SQS server in a process of its own. */
export type QueueServer = Readonly<{
  /** Run as `node FILE FOLDER PORT`; writes a line with the event `started` when it is ready. */
  file: string;
  /** The destination of outcomes, as settings of `hubrelay work`. */
  outcomes(endpoint: string): Readonly<Record<string, string>>;
}>;

const embedded: QueueServer = {
  file: fileURLToPath(new URL("../messages/queue-server-child.ts", import.meta.url)),
  outcomes: () => ({ HUBRELAY_OUTCOME_TOPIC_ARN: "arn:aws:sns:us-east-1:000000000000:outcomes" }),
};

export type KillPlan = Readonly<{
  /** For the list of a soak's runs. */
  name: string;
  kills: number;
  /** Default: the embedded server, which keeps its messages in a folder. */
  queueServer?: QueueServer;
  /** Whether two `hubrelay run` share a Lease, instead of forwarder, workers and a queue server. */
  inOneProcess?: boolean;
  /** The interval of `hubrelay resync`. Default: never, since a server that keeps its messages must not need it. */
  resyncMs?: number;
}>;

/** The processes that are killed, their connections, and the reason of each dead letter, where a function gave one. */
type Started = Readonly<{
  processes: readonly KeptProcess[];
  connections: readonly Victim[];
  deadLetters(): Promise<readonly (string | undefined)[]>;
}>;

/** Receives what a queue of dead letters has. */
async function reasonsIn(queue: Queue): Promise<readonly (string | undefined)[]> {
  const reasons: (string | undefined)[] = [];
  for (;;) {
    const messages = await queue.receive({ waitSeconds: 0 });
    if (messages.length === 0) return reasons;
    reasons.push(...messages.map(({ attributes }) => attributes[deadLetterAttributes.reason]));
    await queue.delete(messages.map(({ receiptHandle }) => receiptHandle));
  }
}

/** Keeps processes until the stack is disposed. */
function keepAll(
  stack: AsyncDisposableStack,
  starts: Readonly<Record<string, () => LoggingProcess>>,
): readonly KeptProcess[] {
  const processes = Object.entries(starts).map(([name, start]) => keep(name, start));
  stack.defer(async () => {
    await Promise.all(processes.map((kept) => kept.stop()));
  });
  return processes;
}

/** Two processes with everything in them, one of which holds the Lease. */
function startInOneProcess(stack: AsyncDisposableStack, settings: HubUnderTest["settings"]): Started {
  const { HUBRELAY_OUTCOME_TOPIC_ARN: _topic, ...environment } = environmentOf("", "", "");
  const started: LoggingProcess[] = [];
  const start = () => {
    const args = ["run", "--function", "mirror-config", "--lease", "hubrelay/hubrelay-forwarder"];
    const one = startHubrelay(args, {
      ...environment,
      HUBRELAY_HUB: settings.work,
      HUBRELAY_OUTCOME_SINKS: "{}",
      HUBRELAY_LOG_LEVEL: "info",
    });
    started.push(one);
    return one;
  };
  const isDead = ({ event }: LogLine) => event === "dead-lettered";
  return {
    processes: keepAll(stack, { "run a": start, "run b": start }),
    connections: [],
    deadLetters: async () =>
      started.flatMap(({ lines }) => lines.filter(isDead)).map(({ reason }) => String(reason)),
  };
}

/** Forwarder, two workers and the queue server, which are restarted whenever they end. */
async function startApart(
  stack: AsyncDisposableStack,
  settings: HubUnderTest["settings"],
  { queueServer = embedded, resyncMs }: KillPlan,
): Promise<Started> {
  const port = await freePort();
  const wire = stack.use(await openWire(port));
  const endpoint = `http://127.0.0.1:${wire.port}`;
  const { path: queues } = stack.use(await mkdtempDisposable(join(tmpdir(), "hubrelay-queues-")));
  const { HUBRELAY_OUTCOME_TOPIC_ARN: _topic, ...connection } = environmentOf(endpoint, "", "");
  const environment = { ...connection, ...queueServer.outcomes(endpoint), HUBRELAY_LOG_LEVEL: "info" };
  const start = (command: keyof HubUnderTest["settings"]) =>
    startHubrelay([command], { ...environment, HUBRELAY_HUB: settings[command] });
  const processes = keepAll(stack, {
    "queue server": () => startLogging(queueServer.file, [queues, String(port)], environment),
    forwarder: () => start("forward"),
    "worker a": () => start("work"),
    "worker b": () => start("work"),
  });
  if (resyncMs) {
    const ticking = every(resyncMs, () => start("resync").ended);
    stack.defer(() => ticking.stop());
  }
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const sqs = stack.adopt(sqsClient({ region: "us-east-1", endpoint, credentials }), (one) => one.destroy());
  const deadLetters = sqsQueue(sqs, `${endpoint}/000000000000/mirror-configs-dead-letters`);
  return {
    processes,
    connections: [breakableConnection("queue connection", wire)],
    deadLetters: () => reasonsIn(deadLetters),
  };
}

/** Repeats the work with a pause before each run; it may fail, as a tick of a CronJob may. */
function every(pauseMs: number, work: () => Promise<unknown>): Readonly<{ stop(): Promise<void> }> {
  const over = new AbortController();
  const ticking = (async () => {
    while (!over.signal.aborted) {
      await sleep(pauseMs, undefined, { signal: over.signal }).catch(() => undefined);
      if (!over.signal.aborted) await work();
    }
  })();
  return {
    async stop() {
      over.abort();
      await ticking;
    },
  };
}

/** Resolves when nothing is left to be done for what the hub holds. */
async function settled(hub: Hub): Promise<void> {
  const plan = () => mirrorConfig.plan({ hub, key: "cluster", now: new Date(), external: noExternalPorts });
  while ((await plan()).actions.length > 0) await sleep(50);
}

/**
 * Edits a hub continuously while forwarder, workers, queue server, the hub's own processes and connections between them
 * are killed at random this many times, and compares the content at the end with a clean run. The seed decides what is
 * edited and who is killed when; what the processes are doing at that moment is the machine's own choice.
 */
export async function killRun(
  { hub, settings, victims, cleanRun }: HubUnderTest,
  plan: KillPlan,
): Promise<KillRun> {
  const { kills } = plan;
  const seed = seedOfRun();
  console.log(`${plan.name}: ${kills} kills, FC_SEED=${seed}`);
  await using stack = new AsyncDisposableStack();
  const { processes, connections, deadLetters } = plan.inOneProcess
    ? startInOneProcess(stack, settings)
    : await startApart(stack, settings, plan);
  const all: readonly Victim[] = [...processes, ...connections, ...victims];
  const marks = watchMarks(hub);
  stack.defer(() => marks.stop());

  let number = 0;
  const enough = new AbortController();
  const editing = (async () => {
    for (const edit of fc.sample(edits, { numRuns: 100_000, seed })) {
      if (enough.signal.aborted) return;
      await makeEdit(hub, edit);
      marks.expect(++number);
      await markWith(hub, number);
      await sleep(50 + edit.choice * 10);
    }
  })();

  editing.catch(() => enough.abort()); // reported below, where it is awaited

  const counts: Record<string, number> = {};
  // All are killed once before one is killed again.
  const round = fc.record({
    victims: fc.shuffledSubarray([...all], { minLength: all.length }),
    pausesMs: fc.array(fc.nat(1_000), { minLength: all.length, maxLength: all.length }),
  });
  const rounds = fc.sample(fc.noBias(round), { numRuns: Math.ceil(kills / all.length), seed });
  const blows = rounds.flatMap(({ victims: inOrder, pausesMs }) =>
    inOrder.map((killed, index) => ({ killed, pauseMs: pausesMs[index] ?? 0 })),
  );
  for (const { killed, pauseMs } of blows.slice(0, kills)) {
    // All run at least for a moment: kills without a pause would only show that nothing runs.
    await Promise.all(all.map((one) => one.running()));
    await sleep(pauseMs);
    await killed.kill();
    counts[killed.name] = (counts[killed.name] ?? 0) + 1;
    countRun(plan.name);
  }
  await Promise.all(all.map((one) => one.running()));
  enough.abort();
  await editing;
  await marks.seen(number);
  await settled(hub);

  const result = await contentOf(hub);
  const lost = await deadLetters();
  await Promise.all(processes.map((kept) => kept.stop()));
  return {
    result,
    clean: await cleanRun(),
    kills: counts,
    edits: number,
    waits: marks.waits.toSorted((a, b) => a - b),
    late: marks.late,
    deadLetters: lost.length,
    refused: lost.filter((reason) => reason !== undefined),
  };
}

/** Formats the figures of a run as one line. */
export function figuresOf({ kills, edits: made, waits, deadLetters }: KillRun): string {
  const share = (part: number) => Math.round(waits[Math.floor(part * (waits.length - 1))] ?? 0);
  const killed = Object.entries(kills).map(([name, count]) => `${name} ${count}`);
  return (
    `killed: ${killed.join(", ")}; ${made} edits; edit to result p50 ${share(0.5)} ms, p99 ${share(0.99)} ms, ` +
    `at most ${share(1)} ms; ${deadLetters} dead letters`
  );
}
