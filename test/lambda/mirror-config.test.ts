import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SubscribeCommand } from "@aws-sdk/client-sns";
import { DeleteQueueCommand, GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { openDirectoryHub } from "#shared/adapters/directory-hub.ts";
import { type EmbeddedMessaging, startEmbeddedMessaging } from "#shared/adapters/embedded-messaging.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { paths } from "../../infra/paths.ts";
import { startFunction, unzip } from "./function-process.ts";
import recorded from "./recorded-batch.json" with { type: "json" };

const runtime = inject("lambdaRuntime");
const [good, duplicate, poison] = recorded.Records;
const answer = (...failed: readonly string[]) => ({
  kind: "response",
  body: { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) },
});

let folder = "";
let messaging: EmbeddedMessaging;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hubrelay-lambda-"));
  await cp(join(paths.root, "examples/hub"), join(folder, "hub"), { recursive: true });
  await unzip(join(paths.lambda, "mirror-config.zip"), folder);
  messaging = await startEmbeddedMessaging({ queues: ["mirror-configs", "subscriber"], topic: "outcomes" });
});
afterEach(async () => {
  await messaging.stop();
  await rm(folder, { recursive: true });
});

/** The unzipped artefact as a Lambda of which only AWS's addresses are others. */
const start = (environment: Readonly<Record<string, string>> = {}) =>
  startFunction({
    runtime,
    taskRoot: folder,
    environment: {
      HUBRELAY_HUB: `directory:${join(folder, "hub")}`,
      HUBRELAY_HUB_ID: "https://api.hub.example.com:6443",
      HUBRELAY_QUEUE_URL: messaging.queue("mirror-configs").url,
      HUBRELAY_DEAD_LETTERS_URL: messaging.deadLetters("mirror-configs").url,
      HUBRELAY_OUTCOME_TOPIC_ARN: messaging.topicArn,
      AWS_ENDPOINT_URL: messaging.endpoint,
      ...environment,
    },
  });

const machineConfigs = async () =>
  (await openDirectoryHub(join(folder, "hub")).list(kinds.MachineConfig)).map(({ metadata }) => ({
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
  }));

async function subscribe(): Promise<void> {
  const { url } = messaging.queue("subscriber");
  const attributes = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["QueueArn"] });
  const { Attributes } = await messaging.sqs.send(attributes);
  await messaging.sns.send(
    new SubscribeCommand({
      TopicArn: messaging.topicArn,
      Protocol: "sqs",
      Endpoint: Attributes?.QueueArn,
      Attributes: { RawMessageDelivery: "true" },
    }),
  );
}

describe(`the packaged mirror-config under ${runtime.name}`, () => {
  test("When a batch has a good message, its duplicate and poison, it should reconcile once and lose nothing", async () => {
    await subscribe();
    await using running = await start();

    expect(await running.invoke(recorded)).toEqual(answer());

    expect((await machineConfigs()).map(({ name }) => name)).toEqual([
      "99-master-generated-registries",
      "99-worker-generated-registries",
    ]);
    const log = running.output();
    expect(log.match(/"event":"reconciled"/g)).toHaveLength(1);
    expect(log).toMatch(/"event":"reconciled",.*"messages":2/);
    const [dead, ...more] = await messaging.deadLetters("mirror-configs").receive({ waitSeconds: 5 });
    expect(more).toEqual([]);
    expect(dead?.body).toBe(poison?.body);
    expect(dead?.attributes).toMatchObject({
      "hubrelay.function": "mirror-config",
      "hubrelay.messageId": poison?.messageId,
      "hubrelay.reason": expect.stringMatching(/no CloudEvent/),
    });
    const [outcome] = await messaging.queue("subscriber").receive({ waitSeconds: 5 });
    expect(JSON.parse(outcome?.body ?? "{}")).toMatchObject({
      specversion: "1.0",
      type: expect.stringMatching(/^dev\.hubrelay\./),
      source: "https://api.hub.example.com:6443",
    });
  });

  test("When the same batch comes again to the same process, it should answer again and write nothing", async () => {
    await using running = await start();
    expect(await running.invoke({ Records: [good] })).toEqual(answer());
    const written = await machineConfigs();
    expect(await running.invoke({ Records: [good, duplicate] })).toEqual(answer());
    expect(await machineConfigs()).toEqual(written);
    expect(written).toHaveLength(2);
  });

  test("When poison cannot be put aside, it should hand back the poison alone", async () => {
    await messaging.sqs.send(
      new DeleteQueueCommand({ QueueUrl: messaging.deadLetters("mirror-configs").url }),
    );
    await using running = await start();
    expect(await running.invoke(recorded)).toEqual(answer(poison?.messageId ?? ""));
    expect(await machineConfigs()).toHaveLength(2);
  });

  test("When a setting is missing, it should fail at its start and say which and what belongs there", async () => {
    await using running = await start({ HUBRELAY_DEAD_LETTERS_URL: "" });
    const failure = running.invoke(recorded).then(({ body }) => JSON.stringify(body), String);
    await expect(failure).resolves.toMatch(/HUBRELAY_DEAD_LETTERS_URL is not set; it should be like/);
  });
});
