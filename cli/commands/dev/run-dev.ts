import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { controllers } from "#functions/controllers.ts";
import { maintenanceWindow } from "#functions/maintenance-window/controller.ts";
import { resync } from "#functions/resync/resync.ts";
import { allWatches } from "#functions/watches.ts";
import type { EmbeddedMessaging } from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import type { DirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { fileUpdateGraph, updateGraphIn } from "#shared/adapters/update-graph/open-update-graph.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { displayName, kinds } from "#shared/domain/kubernetes/object.ts";
import { withPlaces } from "#shared/domain/manifests/issue-places.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import type { OutcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import { emptyPlan } from "#shared/domain/plan/plan.ts";
import { messageOf } from "#shared/domain/text/error-text.ts";
import { type ExternalPorts, noExternalPorts, type UpdateGraph } from "#shared/ports/external-ports.ts";
import type { Log, LogEntry } from "#shared/ports/log.ts";
import type { OutcomeTopic } from "#shared/ports/outcome-topic.ts";
import type { Ports } from "#shared/ports/ports.ts";
import type { ReconcileRequest, Watches } from "#shared/runtime/controller.ts";
import { forwardChanges } from "#shared/runtime/forwarder/forward.ts";
import { issueText } from "../../io/issue-text.ts";
import { painted, type SafeText, safe } from "../../io/safe-text.ts";
import { requireUpdateGraph } from "../../io/update-graph-file.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { startFunctionWorkers } from "../../program/function-workers.ts";
import { packageFile } from "../../program/package-files.ts";
import { scheduleWindows, simulateClusters, simulateMistakes } from "../../simulation/simulated-hub.ts";
import { simulatedPlanning } from "../../simulation/simulated-planning.ts";
import { pagesHint, startDevConsole } from "../console/dev-console.ts";
import { type DevView, hubrelayHere } from "./dev-view.ts";
import { openFolder, prepareFolder, shown } from "./hub-folder.ts";

/** Adds file, line and column. `fileOf` returns the file of an object such as `ImageDigestMirrorSet/team`. */
async function placedIssues(
  issues: readonly Issue[],
  fileOf: (object: string) => string | undefined,
): Promise<readonly Issue[]> {
  const files = new Set(issues.flatMap(({ object }) => fileOf(displayName(object)) ?? []));
  const texts = await Promise.all(
    [...files].map(async (file) => {
      // A file that was deleted meanwhile has no line to show.
      const text = await readFile(file, "utf8").catch(() => "");
      return { file, text };
    }),
  );
  const objects = texts.flatMap(({ file, text }) => readManifests(text, file).objects);
  return withPlaces(issues, objects, texts);
}

export type DevOptions = Readonly<{
  hub: string;
  from?: string;
  once?: boolean;
  /** True to serve pages about the hub to browsers on this machine. */
  console?: boolean;
  /** Path of an update graph. Without it, hubrelay does not look up images of releases. */
  updateGraph?: string;
  /** Called with outcome events when the topic has accepted the events. */
  onOutcomes?: (events: readonly OutcomeEvent[]) => void;
}>;

const resyncMs = 5 * 60_000;
/** The round has ended when the log is silent for two intervals. After only one, a function may still be busy. */
const quietMs = 250;
const windowTickMs = 5_000;
const examples = packageFile("examples/fleet");

const noUpdateGraph: UpdateGraph = {
  ask: async () => ({ ok: false, message: "dev queries no server; use --update-graph FILE" }),
};

const summaryOf = (errors: number): SafeText =>
  safe`\n${painted("bold", "First round done.")} Errors: ${errors}${errors > 0 ? ", each reported above" : ""}.\n`;

function fileOfSubject(hub: DirectoryHub, subject: string): string | undefined {
  const [kind, ...names] = subject.split("/");
  const [name = "", namespace] = names.toReversed();
  const known = Object.values(kinds).find((one) => one.kind === kind);
  const file = known && hub.fileOf({ ...known, name, ...(namespace === undefined ? {} : { namespace }) });
  return file && shown(file);
}

const errorsTo = (log: Log) => (error: unknown) =>
  log({ event: "failed", key: "dev", error: messageOf(error) });

function trackFirstRound(view: Pick<DevView, "log" | "planned">) {
  const { promise: firstRound, resolve } = Promise.withResolvers<void>();
  const errors = new Set<string>();
  let outstanding = 0;
  let isSynced = false;
  let entries = 0;

  const keyOf = (issue: Issue) => issueText(issue).toString();
  function addError(issue: Issue): void {
    errors.add(keyOf(issue));
  }

  function note(entry: LogEntry): void {
    entries++;
    if (entry.event === "issue" && entry.issue.severity === "error") addError(entry.issue);
    if (entry.event === "synced") isSynced = true;
    if (entry.event === "forwarded") outstanding += entry.messages;
    if (entry.event === "replaced") outstanding += entry.messages - 1;
    if (entry.event === "reconciled") outstanding -= entry.messages;
    if (entry.event === "event-ignored" || entry.event === "dead-lettered") outstanding--;
    if (isSynced && outstanding <= 0) resolve();
  }

  return {
    errors,
    firstRound,
    /** Resolves when the log is silent. By then, all messages that the round's writes caused are handled. */
    async quiet(): Promise<void> {
      for (let before = -1, times = 0; times < 2; times = entries === before ? times + 1 : 0) {
        before = entries;
        await sleep(quietMs);
      }
    },
    logOf(name: string): Log {
      return (entry) => {
        view.log(name, entry);
        note(entry);
      };
    },
    fileIssue(issue: Issue): void {
      addError(issue);
      view.planned("files", keyOf(issue), { ...emptyPlan, issues: [issue] });
    },
    fileFixed: (issue: Issue) => view.planned("files", keyOf(issue), emptyPlan),
  };
}

async function runUntil(
  signal: AbortSignal,
  messaging: EmbeddedMessaging,
  ports: Pick<Ports<keyof ExternalPorts>, "hub" | "external" | "outcomes">,
  view: Pick<DevView, "planned">,
  { logOf, fileOf }: Readonly<{ logOf(name: string): Log; fileOf(subject: string): string | undefined }>,
): Promise<void> {
  const { hub } = ports;
  const log = logOf("dev");
  const logError = errorsTo(log);
  const viewed = controllers.map(({ plan, ...controller }) => ({
    ...controller,
    plan: async (request: ReconcileRequest<keyof ExternalPorts>) => {
      const planned = await plan(request);
      const placed = { ...planned, issues: await placedIssues(planned.issues, fileOf) };
      view.planned(controller.name, request.key, placed);
      return placed;
    },
  }));
  const stopWorkers = startFunctionWorkers(viewed, messaging, {
    portsFor: ({ name }) => ({ ...ports, log: logOf(name) }),
    onError: logError,
  });
  let ticked: Promise<unknown> = Promise.resolve();
  const tick = (served: readonly Watches[]) => () => {
    ticked = ticked.then(() => resync(hub, served, messaging.queue, new Date())).catch(logError);
  };
  const ticks = [
    setInterval(tick(allWatches), resyncMs),
    setInterval(tick([maintenanceWindow]), windowTickMs),
  ];
  try {
    await forwardChanges({ hub, allWatches, queue: messaging.queue, signal, log });
  } finally {
    for (const one of ticks) clearInterval(one);
  }
  await ticked;
  await stopWorkers();
}

function externalPorts(directory: string, updateGraph: string | undefined) {
  const graph = updateGraph ? resolve(updateGraph) : updateGraphIn(directory);
  return {
    ...noExternalPorts,
    planning: simulatedPlanning,
    updateGraph: graph ? fileUpdateGraph(graph) : noUpdateGraph,
  };
}

/** Runs a deployment in one process, until it is interrupted or, with `once`, for one round. Returns the exit code. */
export async function runDev(
  {
    hub: folder,
    from = examples,
    once = false,
    console: hasConsole = false,
    updateGraph,
    onOutcomes = () => undefined,
  }: DevOptions,
  view: DevView,
): Promise<number> {
  // An empty HUBRELAY_UPDATE_GRAPH counts as unset.
  if (updateGraph) await requireUpdateGraph(updateGraph);
  const directory = resolve(folder);
  view.prepared(await prepareFolder(directory, resolve(from)), shown(directory));
  const external = externalPorts(directory, updateGraph);

  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const interrupted = new Promise<void>((done) => stop.signal.addEventListener("abort", () => done()));

  const { errors, firstRound, quiet, logOf, fileIssue, fileFixed } = trackFirstRound(view);
  const log = logOf("hub");
  await using cleanup = new AsyncDisposableStack();
  const { hub, messaging } = await openFolder(directory, cleanup, {
    onIssue: fileIssue,
    onFixed: fileFixed,
    onWatchError: ({ message }) => log({ event: "failed", key: "hub", error: message }),
  });
  const fileOf = (subject: string) => fileOfSubject(hub, subject);
  view.opened(hub, fileOf);
  await scheduleWindows(hub, new Date());
  const outcomes: OutcomeTopic = {
    async publish(events) {
      await messaging.topic.publish(events);
      onOutcomes(events);
    },
  };
  const working = [runUntil(stop.signal, messaging, { hub, external, outcomes }, view, { logOf, fileOf })];

  await Promise.race([firstRound, interrupted]);
  if (once) {
    await Promise.race([quiet(), interrupted]);
    stop.abort();
    await Promise.all(working);
    view.firstRoundDone(summaryOf(errors.size), []);
    return exitCodes.fine;
  }
  const pages = hasConsole
    ? cleanup.adopt(await startDevConsole(hub), (running) => running.close())
    : undefined;
  const hints = [`Watching ${shown(directory)}; edit a file there, or press Ctrl-C to end.`];
  if (pages) hints.push(pagesHint(pages));
  hints.push(`Try in another terminal: ${hubrelayHere(shown(directory))} precache status`);
  view.firstRoundDone(summaryOf(errors.size), hints);
  const simulated = [hub, stop.signal, errorsTo(log)] as const;
  working.push(simulateClusters(...simulated), simulateMistakes(...simulated));
  await interrupted;
  view.ending();
  await Promise.all(working);
  return exitCodes.fine;
}
