import { cp, mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { paths } from "../../infra/paths.ts";
import { queueNames, queueUrlsAt } from "../support/processes/deployment.ts";
import { type FunctionProcess, startFunction, unzip } from "./function-process.ts";
import type { LambdaRuntime } from "./lambda-runtime.ts";

/** An unzipped artefact with its own hub, queues and topic. */
export type PackagedFunction = Readonly<{
  /** The hub that the function works on, a copy of the examples, for reads of the test. */
  hub: Hub;
  messaging: EmbeddedMessaging;
  /** Starts a fresh process of the function, a Lambda except for AWS's addresses. */
  start(environment?: Readonly<Record<string, string>>): Promise<FunctionProcess>;
  [Symbol.asyncDispose](): Promise<void>;
}>;

export const hubId = "https://api.hub.example.com:6443";

/** Unpacks a function's artefact and sets up the services that it uses. */
export async function packagedFunction(name: string, runtime: LambdaRuntime): Promise<PackagedFunction> {
  await using cleanup = new AsyncDisposableStack();
  const { path: taskRoot } = cleanup.use(await mkdtempDisposable(join(tmpdir(), "hubrelay-lambda-")));
  const directory = join(taskRoot, "hub");
  // Without the example that makes all mirrors refused.
  const filter = (path: string) => !path.endsWith("mistake.yaml");
  await cp(join(paths.root, "examples/hub"), directory, { recursive: true, filter });
  await unzip(join(paths.lambda, `${name}.zip`), taskRoot);
  const messaging = await startEmbeddedMessaging({
    queues: [...queueNames, "subscriber"],
    topic: "outcomes",
  });
  cleanup.defer(() => messaging.stop());
  const { url } = messaging.queue("mirror-configs");
  const settings = {
    HUBRELAY_HUB: `directory:${directory}`,
    HUBRELAY_HUB_ID: hubId,
    HUBRELAY_QUEUE_URL: url,
    HUBRELAY_QUEUE_URLS: queueUrlsAt(messaging.endpoint),
    HUBRELAY_DEAD_LETTERS_URL: messaging.deadLetters("mirror-configs").url,
    HUBRELAY_OUTCOME_TOPIC_ARN: messaging.topicArn,
    AWS_ENDPOINT_URL: messaging.endpoint,
  };
  const ready = cleanup.move();
  return {
    hub: openDirectoryHub(directory),
    messaging,
    start: (environment = {}) =>
      startFunction({ runtime, taskRoot, environment: { ...settings, ...environment } }),
    [Symbol.asyncDispose]: () => ready.disposeAsync(),
  };
}
