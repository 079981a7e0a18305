import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { sqsClient, sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import { deadLetterAttributes } from "#shared/domain/plan/dead-letter.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { Queue } from "#shared/ports/queue.ts";
import { environmentOf } from "../processes/deployment.ts";
import { startHubrelay } from "../processes/hubrelay-process.ts";
import { aPodOfProcess, type PodOfProcess } from "../processes/pod-of-process.ts";
import { type LoggingProcess, type LogLine, startLogging } from "../processes/process-lines.ts";
import { freePort } from "../servers/free-port.ts";
import { openWire } from "../servers/wire.ts";
import { countRun, seedOfRun } from "../setup/soak.ts";
import { drawBlows } from "./blows.ts";
import { breakableConnection } from "./breakable-connection.ts";
import { editContinuously } from "./continuous-edits.ts";
import { contentOf } from "./hub-content.ts";
import { type KeptProcess, keep, type Victim } from "./kept-process.ts";
import { watchMarks } from "./marker-times.ts";

/** A hub that the processes work on while they are killed. */
export type HubUnderTest = Readonly<{
  /** For the edits of this process, and its reads at the end. */
  hub: Hub;
  /** HUBRELAY_HUB of each process. */
  settings: Readonly<{ forward: string; work: string }>;
  /** What else is killed, beside these processes: the hub's own, and what is between them and the others. */
  victims(processes: readonly Victim[]): readonly Victim[];
  /** Returns the content that a run without kills derives from what people wrote. */
  cleanRun(): Promise<unknown>;
}>;

export type KillRun = Readonly<{
  result: unknown;
  clean: unknown;
  kills: Readonly<Record<string, number>>;
  edits: number;
  /** The number of an edit whose result did not come although no other followed it; undefined if each came. */
  missing: number | undefined;
  /** Milliseconds from an edit's first attempt to the MachineConfig that has it, ascending. */
  waits: readonly number[];
  /** The edits whose result was written after that of a later one. */
  late: readonly number[];
  deadLetters: number;
  /** The reasons of dead letters that a function gave up on. The others were received too often. */
  refused: readonly string[];
}>;

/** The queue server of `hubrelay dev`, which keeps its messages in a folder. */
const queueServerFile = fileURLToPath(new URL("../messages/queue-server-child.ts", import.meta.url));
const topicArn = "arn:aws:sns:us-east-1:000000000000:outcomes";
/** How long the result of an edit that no other follows may take. */
const patienceMs = 300_000;

export type KillPlan = Readonly<{
  /** For the list of a soak's runs. */
  name: string;
  kills: number;
  /** Whether two `hubrelay run` share a Lease, instead of forwarder, workers and a queue server. */
  inOneProcess: boolean;
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

/** Two processes with everything in them, one of which holds the Lease: each is the container of a Pod of its own. */
async function startInOneProcess(
  stack: AsyncDisposableStack,
  { hub, settings }: Pick<HubUnderTest, "hub" | "settings">,
): Promise<Started> {
  const { HUBRELAY_OUTCOME_TOPIC_ARN: _topic, ...environment } = environmentOf("", "", "");
  const started: LoggingProcess[] = [];
  const pods = [await aPodOfProcess(hub, "run-a"), await aPodOfProcess(hub, "run-b")];
  for (const { remove } of pods) stack.defer(remove);
  const start = (pod: PodOfProcess | undefined) => () => {
    const args = ["run", "--function", "mirror-config", "--lease", "hubrelay/hubrelay-forwarder"];
    const one = startHubrelay(args, {
      ...environment,
      ...pod?.environment,
      HUBRELAY_HUB: settings.work,
      HUBRELAY_OUTCOME_SINKS: "{}",
      HUBRELAY_LOG_LEVEL: "info",
    });
    started.push(one);
    return one;
  };
  const isDead = ({ event }: LogLine) => event === "dead-lettered";
  return {
    processes: keepAll(stack, { "run a": start(pods[0]), "run b": start(pods[1]) }),
    connections: [],
    deadLetters: async () =>
      started.flatMap(({ lines }) => lines.filter(isDead)).map(({ reason }) => String(reason)),
  };
}

/** Forwarder, two workers and the queue server, which are restarted whenever they end. */
async function startApart(stack: AsyncDisposableStack, settings: HubUnderTest["settings"]): Promise<Started> {
  const port = await freePort();
  const wire = stack.use(await openWire(port));
  const endpoint = `http://127.0.0.1:${wire.port}`;
  const { path: queues } = stack.use(await mkdtempDisposable(join(tmpdir(), "hubrelay-queues-")));
  const environment = { ...environmentOf(endpoint, "", topicArn), HUBRELAY_LOG_LEVEL: "info" };
  const start = (command: keyof HubUnderTest["settings"]) =>
    startHubrelay([command], { ...environment, HUBRELAY_HUB: settings[command] });
  const processes = keepAll(stack, {
    "queue server": () => startLogging(queueServerFile, [queues, String(port)], environment),
    forwarder: () => start("forward"),
    "worker a": () => start("work"),
    "worker b": () => start("work"),
  });
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const sqs = stack.adopt(sqsClient({ region: "us-east-1", endpoint, credentials }), (one) => one.destroy());
  const deadLetters = sqsQueue(sqs, `${endpoint}/000000000000/mirror-configs-dead-letters`);
  return {
    processes,
    connections: [breakableConnection("queue connection", wire)],
    deadLetters: () => reasonsIn(deadLetters),
  };
}

/** Resolves when nothing is left to be done for what the hub holds, at the latest when the signal aborts. */
async function settled(hub: Hub, signal: AbortSignal): Promise<void> {
  const plan = () => mirrorConfig.plan({ hub, key: "cluster", now: new Date(), external: noExternalPorts });
  while (!signal.aborted && (await plan()).actions.length > 0) await sleep(50);
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
  const { name, kills } = plan;
  const seed = seedOfRun();
  console.log(`${name}: ${kills} kills, FC_SEED=${seed}`);
  await using stack = new AsyncDisposableStack();
  const { processes, connections, deadLetters } = plan.inOneProcess
    ? await startInOneProcess(stack, { hub, settings })
    : await startApart(stack, settings);
  const all: readonly Victim[] = [...processes, ...connections, ...victims(processes)];
  const running = () => Promise.all(all.map((one) => one.running()));
  const marks = watchMarks(hub);
  stack.defer(() => marks.stop());

  const counts: Record<string, number> = {};
  const kill = async (victim: Victim): Promise<void> => {
    await victim.kill();
    counts[victim.name] = (counts[victim.name] ?? 0) + 1;
  };
  // All run at least for a moment: kills without a pause would only show that nothing runs.
  await running();
  const editing = editContinuously(hub, marks, seed);
  let missing: number | undefined;
  const latestIsSeen = async (): Promise<void> => {
    const number = editing.latest();
    const isSeen = marks.seen(number).then(() => true);
    if (!(await Promise.race([isSeen, sleep(patienceMs, false, { ref: false })]))) missing = number;
  };
  for (const { killed, pauseMs, isQuiet } of drawBlows(all, kills, seed)) {
    await running();
    if (isQuiet)
      await editing.quietly(async () => {
        // Between the edit and its result.
        await sleep(pauseMs / 4);
        await kill(killed);
        await running();
        await latestIsSeen();
        if (missing !== undefined) editing.end();
      });
    else {
      await sleep(pauseMs);
      await kill(killed);
    }
    countRun(name);
    if (missing !== undefined) break;
  }
  await running();
  await editing.stop();
  if (missing === undefined) await latestIsSeen();
  if (missing === undefined) await settled(hub, AbortSignal.timeout(patienceMs));

  const result = await contentOf(hub);
  const lost = await deadLetters();
  await Promise.all(processes.map((kept) => kept.stop()));
  return {
    result,
    clean: await cleanRun(),
    kills: counts,
    edits: editing.latest(),
    missing,
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
