import { maintenanceWindow } from "#functions/maintenance-window/controller.ts";
import { precacheCluster } from "#functions/precache-cluster/controller.ts";
import { precachePlan } from "#functions/precache-plan/controller.ts";
import { precacheReady } from "#functions/precache-ready/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { type KeptProcess, keep } from "../../../support/kills/kept-process.ts";
import { subscribeQueue } from "../../../support/messages/subscribe-queue.ts";
import { environmentOf, queueNames } from "../../../support/processes/deployment.ts";
import { startHubrelay } from "../../../support/processes/hubrelay-process.ts";
import type { LoggingProcess, LogLine } from "../../../support/processes/process-lines.ts";
import { precachingSettings } from "../manifests/kustomize.ts";
import type { TestHub } from "./cluster.ts";
import { hubAccounts } from "./service-account.ts";

const functions = [precachePlan, precacheReady, precacheCluster, precacheStatus, maintenanceWindow].map(
  ({ name }) => name,
);
/** Only other functions trigger it: the forwarder has nothing for it. */
const watching = functions.filter((name) => name !== precacheCluster.name);

/** The accounts of pre-caching's processes, as the API server names them. */
export const precachingUsers: ReadonlySet<string> = new Set(
  ["forwarder", "resync", ...functions].map((name) => `system:serviceaccount:hubrelay:hubrelay-${name}`),
);

/** The processes of pre-caching on a hub: a forwarder and a worker for each function, each under its own account. */
export type Precaching = AsyncDisposable &
  Readonly<{
    messaging: EmbeddedMessaging;
    /** What all of them have logged so far. */
    lines(): readonly LogLine[];
    /** Runs one tick of resync, as a CronJob does. */
    resync(): Promise<void>;
  }>;

export type PrecachingOptions = Readonly<{
  /** The visibility timeout: a killed worker's messages return after this time. */
  visibilityTimeoutSeconds?: number;
}>;

/**
 * Applies `infra/hub-rbac` and starts what a deployment runs, with embedded queues; resolves when the forwarder has
 * sent everything that the hub holds.
 */
export async function startPrecaching(
  server: TestHub,
  { visibilityTimeoutSeconds = 60 }: PrecachingOptions = {},
): Promise<Precaching> {
  await using cleanup = new AsyncDisposableStack();
  const messaging = await startEmbeddedMessaging({
    queues: [...queueNames, "outcomes"],
    topic: "outcomes",
    visibilityTimeoutSeconds,
  });
  cleanup.defer(() => messaging.stop());
  await subscribeQueue(messaging, "outcomes");
  const userAccessOf = await hubAccounts(server, precachingSettings());
  const common = environmentOf(messaging.endpoint, "", messaging.topicArn);
  const started: LoggingProcess[] = [];

  const starter = async (account: string, args: readonly string[]) => {
    const { kubeConfigFile } = await userAccessOf(`hubrelay-${account}`);
    const environment = { ...common, HUBRELAY_HUB: `kubeconfig:${kubeConfigFile}` };
    return () => {
      const process = startHubrelay(args, environment);
      started.push(process);
      return process;
    };
  };
  const processes: KeptProcess[] = [];
  const start = async (name: string, account: string, args: readonly string[]) => {
    const kept = keep(name, await starter(account, args));
    processes.push(kept);
    cleanup.defer(() => kept.stop());
  };
  for (const name of functions) await start(name, name, ["work", "--function", name]);
  const chosen = watching.flatMap((name) => ["--function", name]);
  await start("forward", "forwarder", ["forward", ...chosen]);
  const forwarder = started.at(-1);
  const tick = await starter("resync", ["resync", ...chosen]);
  await Promise.all(processes.map((kept) => kept.running()));
  await forwarder?.logged(({ event }) => event === "synced");

  const opened = cleanup.move();
  return {
    messaging,
    lines: () => started.flatMap(({ lines }) => lines),
    async resync() {
      const ended = await tick().ended;
      if (ended !== 0) throw new Error(`the resync tick ended with ${ended}`);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
