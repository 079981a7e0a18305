import { cp, mkdir, readdir } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { controllers } from "#functions/controllers.ts";
import { maintenanceWindow } from "#functions/maintenance-window/controller.ts";
import { resync } from "#functions/resync/resync.ts";
import { allWatches } from "#functions/watches.ts";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "#shared/adapters/embedded/embedded-messaging.ts";
import { fileErrorCode, fileProblem } from "#shared/adapters/file-errors.ts";
import { type DirectoryHub, openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { fileUpdateGraph, updateGraphIn } from "#shared/adapters/update-graph/file-update-graph.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { referenceTo } from "#shared/domain/kubernetes/object.ts";
import { type ExternalPorts, noExternalPorts } from "#shared/ports/external-ports.ts";
import { HubError } from "#shared/ports/hub.ts";
import type { Log } from "#shared/ports/log.ts";
import type { Ports } from "#shared/ports/ports.ts";
import { QueueError } from "#shared/ports/queue.ts";
import type { UpdateGraph } from "#shared/ports/update-graph.ts";
import type { Watches } from "#shared/runtime/controller.ts";
import { forwardChanges } from "#shared/runtime/forwarder/forward.ts";
import { issueText } from "../../io/issue-text.ts";
import { painted, print, safe } from "../../io/safe-text.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { startFunctionWorkers } from "../../program/function-workers.ts";
import { checkUpdateGraphFile } from "../../program/option-values.ts";
import { packageFile } from "../../program/package-files.ts";
import { scheduleWindows, simulateClusters } from "../../simulation/simulated-hub.ts";
import { liveView } from "./live-view.ts";
import { roundTracker } from "./round-tracker.ts";

export type DevOptions = Readonly<{
  hub: string;
  from?: string;
  once?: boolean;
  /** A file; without it, images of releases are not looked up. */
  updateGraph?: string;
}>;

const resyncMs = 5 * 60_000;
/** A maintenance window opens at most this much late. */
const windowTickMs = 5_000;
const examples = packageFile("examples/hub");
const shown = (path: string) => relative(process.cwd(), path) || ".";

const noUpdateGraph: UpdateGraph = {
  ask: async () => ({ ok: false, message: "dev queries no server; use --update-graph FILE" }),
};

/** Reports errors of the file system, and a folder that is in use, as errors of an option. */
async function withOption<Result>(
  option: string,
  path: string,
  use: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await use();
  } catch (cause) {
    if (fileErrorCode(cause) === "" && !(cause instanceof HubError) && !(cause instanceof QueueError))
      throw cause;
    throw new UsageError(`${option} ${shown(path)} cannot be used: ${fileProblem(cause)}`, { cause });
  }
}

/**
 * Copies the manifests to start with, unless the working folder already has some: edits are kept. Throws `UsageError`
 * when one of the folders cannot be used.
 */
async function prepareFolder(directory: string, from: string): Promise<string> {
  const present = await withOption("--hub", directory, async () => {
    await mkdir(directory, { recursive: true });
    return (await readdir(directory)).filter((name) => !name.startsWith("."));
  });
  if (present.length > 0)
    return `The hub is the folder ${shown(directory)} with its present files; delete it to start over.`;
  await withOption("--from", from, () => cp(from, directory, { recursive: true }));
  return `The hub is the folder ${shown(directory)}, a copy of ${shown(from)}.`;
}

/** Prints the number of errors in the first round, and the MachineConfigs with the configuration. */
async function printSummary(hub: DirectoryHub, errors: number): Promise<void> {
  const generated = (await hub.list(kinds.MachineConfig)).filter(({ metadata }) =>
    metadata.name.endsWith("-generated-registries"),
  );
  print(
    safe`\n${painted("bold", "First round done.")} Errors: ${errors}${errors > 0 ? ", each reported above and left out" : ""}.\n`,
  );
  for (const machineConfig of generated) {
    const file = hub.fileOf(referenceTo(machineConfig));
    print(safe`  ${machineConfig.metadata.name}  ${file ? shown(file) : ""}\n`);
  }
}

const errorsTo = (log: Log) => (error: unknown) =>
  log({ event: "failed", key: "dev", error: error instanceof Error ? error.message : String(error) });

/** Runs workers, forwarder and ticks of all functions. Resolves when all have ended after the signal. */
async function runUntil(
  signal: AbortSignal,
  messaging: EmbeddedMessaging,
  ports: Pick<Ports<keyof ExternalPorts>, "hub" | "external" | "outcomes">,
  logOf: () => Log,
): Promise<void> {
  const { hub } = ports;
  const log = logOf();
  const logError = errorsTo(log);
  const stopWorkers = startFunctionWorkers(controllers, messaging, {
    portsFor: () => ({ ...ports, log: logOf() }),
    onError: logError,
  });
  const tick = (served: readonly Watches[]) => () => {
    resync(hub, served, messaging.queue).catch(logError);
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
  await stopWorkers();
}

/**
 * Runs `hubrelay dev`: hub, queues, topic, forwarder and functions in one process, with the adapters, handlers and
 * batch semantics of a deployment; the hub is a directory and SQS is embedded. Returns the exit code when it is
 * interrupted, or after the first round with `once`.
 */
export async function dev({
  hub: folder,
  from = examples,
  once = false,
  updateGraph,
}: DevOptions): Promise<number> {
  // An empty variable counts as unset.
  if (updateGraph) await checkUpdateGraphFile(updateGraph);
  const directory = resolve(folder);
  print(safe`${await prepareFolder(directory, resolve(from))}\n`);
  const graph = updateGraph ? resolve(updateGraph) : updateGraphIn(directory);
  const external = { ...noExternalPorts, updateGraph: graph ? fileUpdateGraph(graph) : noUpdateGraph };

  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const interrupted = new Promise<void>((done) => stop.signal.addEventListener("abort", () => done()));

  const view = liveView(process.stdout);
  const rounds = roundTracker();
  const errors = new Set<string>();
  const logOf = (): Log => {
    const show = view();
    return (entry) => {
      show(entry);
      if (entry.event === "issue" && entry.issue.severity === "error")
        errors.add(issueText(entry.issue).toString());
      rounds.note(entry);
    };
  };
  const log = logOf();
  await using cleanup = new AsyncDisposableStack();
  const { hub, messaging } = await withOption("--hub", directory, async () => {
    const opened = openDirectoryHub(directory, {
      id: "urn:hubrelay:dev",
      onIssue: (issue) => log({ event: "issue", key: "hub", issue }),
      onWatchError: ({ message }) => log({ event: "failed", key: "hub", error: message }),
    });
    cleanup.defer(() => opened.close());
    const started = await startEmbeddedMessaging({
      dataDir: join(directory, ".hubrelay", "queues"),
      queues: controllers.map(({ queue }) => queue),
      topic: "outcomes",
    });
    cleanup.defer(() => started.stop());
    return { hub: opened, messaging: started };
  });
  await scheduleWindows(hub, new Date());
  const working = [runUntil(stop.signal, messaging, { hub, external, outcomes: messaging.topic }, logOf)];

  await Promise.race([rounds.firstRound, interrupted]);
  await printSummary(hub, errors.size);
  if (once) stop.abort();
  else {
    print(safe`Watching ${shown(directory)}; edit a file there, or press Ctrl-C to end.\n`);
    working.push(simulateClusters(hub, stop.signal, errorsTo(log)));
  }
  await interrupted;

  await Promise.all(working);
  return exitCodes.fine;
}
