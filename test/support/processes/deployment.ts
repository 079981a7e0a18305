import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { controllers } from "#functions/controllers.ts";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { type DirectoryHub, openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";
import { startHubrelay } from "./hubrelay-process.ts";
import type { LoggingProcess } from "./process-lines.ts";

/** What processes of hubrelay need: a hub, queues and topic, and the environment that names them. */
export type Deployment = Readonly<{
  directory: string;
  hub: DirectoryHub;
  messaging: EmbeddedMessaging;
  environment: Readonly<Record<string, string>>;
  /** Starts a command that is killed when the test is over, if it still runs. */
  start(args: readonly string[], more?: Readonly<Record<string, string>>): LoggingProcess;
}>;

/** The queues of all functions. */
export const queueNames: readonly string[] = [...new Set(controllers.map(({ queue }) => queue))];

/** HUBRELAY_QUEUE_URLS for these queues at this SQS endpoint. */
export function queueUrlsAt(endpoint: string, queues = queueNames): string {
  return JSON.stringify(Object.fromEntries(queues.map((name) => [name, `${endpoint}/000000000000/${name}`])));
}

/** Where processes find hubrelay's code compiled; without it they spend most of their start on that. */
export const compileCache: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), "hubrelay-compile-cache"),
};

/** The settings of a process that finds its queues at this SQS endpoint. */
export function environmentOf(
  endpoint: string,
  directory: string,
  topicArn: string,
): Readonly<Record<string, string>> {
  return {
    PATH: process.env.PATH ?? "",
    ...compileCache,
    AWS_REGION: "us-east-1",
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    HUBRELAY_HUB: `directory:${directory}`,
    HUBRELAY_HUB_ID: "urn:test:hub",
    HUBRELAY_QUEUE_URLS: queueUrlsAt(endpoint),
    HUBRELAY_OUTCOME_TOPIC_ARN: topicArn,
    HUBRELAY_LOG_LEVEL: "debug",
    HUBRELAY_WORKLOAD_IMAGE: "registry.lab:8443/hubrelay/precache-workload:1",
  };
}

/** Creates a directory hub with these objects, and embedded queues; both are removed after the test. */
export async function aDeployment(
  objects: readonly KubernetesObject[],
  {
    queues = queueNames,
    ...redrive
  }: Readonly<{
    queues?: readonly string[];
    maxReceiveCount?: number;
    visibilityTimeoutSeconds?: number;
  }> = {},
): Promise<Deployment> {
  const directory = await temporaryFolder();
  const list = { apiVersion: "v1", kind: "List", items: objects };
  await writeFile(join(directory, "hub.json"), JSON.stringify(list));
  const hub = openDirectoryHub(directory, { id: "urn:test:hub" });
  onTestFinished(() => hub.close());
  const messaging = await startEmbeddedMessaging({ queues, topic: "outcomes", ...redrive });
  onTestFinished(() => messaging.stop());
  const environment = {
    ...environmentOf(messaging.endpoint, directory, messaging.topicArn),
    HUBRELAY_QUEUE_URLS: queueUrlsAt(messaging.endpoint, queues),
  };
  return {
    directory,
    hub,
    messaging,
    environment,
    start(args, more = {}) {
      const started = startHubrelay(args, { ...environment, ...more });
      onTestFinished(async () => {
        await started.end("SIGKILL");
      });
      return started;
    },
  };
}
