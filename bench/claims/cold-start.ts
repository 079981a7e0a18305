import { cp, mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import type { Registry } from "#shared/ports/registry.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { bundleFunction, bundleHandler, writeFiles } from "../../infra/bundle/bundle.ts";
import { paths } from "../../infra/paths.ts";
import { startFunction } from "../../test/lambda/function-process.ts";
import { type LambdaRuntime, lambdaRuntime } from "../../test/lambda/lambda-runtime.ts";
import recorded from "../../test/lambda/recorded-batch.json" with { type: "json" };
import { startReadOnlyApi } from "../../test/support/servers/read-only-api.ts";
import type { Claim } from "../claim.ts";
import { inTurns, median, processorMs, type Series, series } from "../measure.ts";
import { isValidExample } from "../support/configuration.ts";

const against = "a handler that imports only the SQS client";

/** Measures a cold start whose first batch needs no write on the hub. Most cold starts are of this kind. */
export const coldStart: Claim = {
  name: "cold-start",
  goal: "the packaged mirror-config returns from its first batch after at most 1.4 times the processor time of a handler that imports only the SQS client",
  async run({ smoke }) {
    await using cleanup = new AsyncDisposableStack();
    const { path: folder } = cleanup.use(await mkdtempDisposable(join(tmpdir(), "hubrelay-cold-start-")));
    const messaging = await startEmbeddedMessaging({ queues: ["mirror-configs"], topic: "outcomes" });
    cleanup.defer(() => messaging.stop());

    const runtime = await lambdaRuntime();
    await bundleFunction("mirror-config");
    await writeFiles(folder, (await bundleHandler("bench/support/sqs-only-handler.ts")).files);
    const hubFolder = join(folder, "hub");
    await cp(join(paths.root, "examples/hub"), hubFolder, { recursive: true, filter: isValidExample });
    await settle(hubFolder);
    const directory = openDirectoryHub(hubFolder);
    cleanup.defer(() => directory.close());
    const api = await startReadOnlyApi(directory, join(folder, "kubeconfig"));
    cleanup.defer(() => api.stop());

    const artefact = join(paths.lambda, "mirror-config");
    const on = (hub: string) =>
      series(() => firstResponse(runtime, artefact, { ...environmentOf(messaging), HUBRELAY_HUB: hub }));
    const inFolder = on(`directory:${hubFolder}`);
    const overApi = on(`kubeconfig:${api.kubeConfigFile}`);
    const floor = series(() => firstResponse(runtime, folder, {}));
    const all = [inFolder, overApi, floor];
    await inTurns(1, ...all);
    for (const { values } of all) values.length = 0;
    await inTurns(smoke ? 3 : 15, ...all);
    const row = (hub: string, { values }: Series) => {
      const numbers = { subjectMs: median(values), floorMs: median(floor.values) };
      const ratio = numbers.subjectMs / numbers.floorMs;
      const subject = `mirror-config in ${runtime.name}, ${hub}`;
      return { subject, against, ratio, measures: "processor time" as const, numbers };
    };
    return [
      { ...row("start to first response", inFolder), goal: { atMost: 1.4 } },
      row("the same with a Kubernetes API", overApi),
    ];
  },
};

async function settle(folder: string): Promise<void> {
  const hub = openDirectoryHub(folder, { id: "bench" });
  const digest = `sha256:${"1".repeat(64)}`;
  const name = `quay.io/openshift-release-dev/ocp-v4.0-art-dev@${digest}`;
  const imageReferences = JSON.stringify({
    kind: "ImageStream",
    metadata: { name: "4.20.3" },
    spec: { tags: [{ name: "cli", from: { kind: "DockerImage", name } }] },
  });
  const registry: Registry = {
    digest: async () => digest,
    image: async () => undefined,
    files: async (_image, [path = ""]) => new Map([[path, imageReferences]]),
  };
  const ports = {
    hub,
    external: { registry },
    outcomes: { publish: async () => undefined },
    log: () => undefined,
    now: () => new Date(),
  };
  await reconcile(mirrorConfig, "cluster", ports);
  hub.close();
}

function environmentOf(messaging: EmbeddedMessaging): Record<string, string> {
  return {
    HUBRELAY_HUB_ID: "bench",
    HUBRELAY_QUEUE_URL: messaging.queue("mirror-configs").url,
    HUBRELAY_DEAD_LETTERS_URL: messaging.deadLetters("mirror-configs").url,
    HUBRELAY_OUTCOME_TOPIC_ARN: messaging.topicArn,
    AWS_ENDPOINT_URL: messaging.endpoint,
  };
}

/** Returns the milliseconds of processor time from the start of the process to its first response. */
async function firstResponse(
  runtime: LambdaRuntime,
  taskRoot: string,
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  await using running = await startFunction({ runtime, taskRoot, environment });
  const result = await running.invoke({ Records: recorded.Records.slice(0, 1) });
  const ms = await processorMs(running.pid);
  const response = JSON.stringify(result);
  const isFloor = environment.HUBRELAY_HUB === undefined;
  const isDone = response.includes('"batchItemFailures":[]');
  if (!isDone || !(isFloor || running.output().includes('"isUnchanged":true'))) {
    throw new Error(`the function under measurement returned ${response}:\n${running.output()}`);
  }
  return ms;
}
