import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "#shared/adapters/embedded/embedded-messaging.ts";
import { bundleFunction, bundleHandler, writeFiles } from "../../infra/bundle.ts";
import { paths } from "../../infra/paths.ts";
import { startFunction } from "../../test/lambda/function-process.ts";
import { type LambdaRuntime, lambdaRuntime } from "../../test/lambda/lambda-runtime.ts";
import recorded from "../../test/lambda/recorded-batch.json" with { type: "json" };
import type { Claim } from "../claim.ts";
import { inTurns, median, series } from "../measure.ts";

const against = "a handler that imports only the SQS client";

export const coldStart: Claim = {
  name: "cold-start",
  goal: "the packaged mirror-config returns from its first batch in at most 2 times the time of a handler that imports only the SQS client",
  async run({ smoke }) {
    await using cleanup = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), "hubrelay-cold-start-"));
    cleanup.defer(() => rm(folder, { recursive: true }));
    const messaging = await startEmbeddedMessaging({ queues: ["mirror-configs"], topic: "outcomes" });
    cleanup.defer(() => messaging.stop());

    const runtime = await lambdaRuntime();
    const environment = await settledHub(join(folder, "hub"), messaging);
    await bundleFunction("mirror-config");
    await writeFiles(folder, (await bundleHandler("bench/support/sqs-only-handler.ts")).files);

    const ours = () => firstResponse(runtime, join(paths.lambda, "mirror-config"), environment);
    const floor = () => firstResponse(runtime, folder, {});
    await ours(); // the very first batch writes the MachineConfigs; later ones only read them
    await floor();
    const subject = series(ours);
    const peer = series(floor);
    await inTurns(smoke ? 3 : 15, subject, peer);
    const numbers = { subjectMs: median(subject.values), floorMs: median(peer.values) };
    return [
      {
        subject: `mirror-config in ${runtime.name}, start to first response`,
        against,
        ratio: numbers.subjectMs / numbers.floorMs,
        goal: { atMost: 2 },
        numbers,
      },
    ];
  },
};

/** Copies the example hub, and returns the environment of a function that works on it. */
async function settledHub(folder: string, messaging: EmbeddedMessaging): Promise<Record<string, string>> {
  await cp(join(paths.root, "examples/hub"), folder, { recursive: true });
  return {
    HUBRELAY_HUB: `directory:${folder}`,
    HUBRELAY_HUB_ID: "bench",
    HUBRELAY_QUEUE_URL: messaging.queue("mirror-configs").url,
    HUBRELAY_DEAD_LETTERS_URL: messaging.deadLetters("mirror-configs").url,
    HUBRELAY_OUTCOME_TOPIC_ARN: messaging.topicArn,
    AWS_ENDPOINT_URL: messaging.endpoint,
  };
}

/** Measures the milliseconds from the start of the process to its response to a batch of one message. */
async function firstResponse(
  runtime: LambdaRuntime,
  taskRoot: string,
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const start = performance.now();
  await using running = await startFunction({ runtime, taskRoot, environment });
  const result = await running.invoke({ Records: recorded.Records.slice(0, 1) });
  const elapsed = performance.now() - start;
  const response = JSON.stringify(result);
  if (result.kind === "error" || !response.includes('"batchItemFailures":[]')) {
    throw new Error(`the function under measurement returned ${response}:\n${running.output()}`);
  }
  return elapsed;
}
