import { join } from "node:path";
import { SubscribeCommand } from "@aws-sdk/client-sns";
import { DeleteQueueCommand, GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test } from "vitest";
import type { EmbeddedMessaging } from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { startReadOnlyApi } from "../support/servers/read-only-api.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubId, type PackagedFunction, packagedFunction } from "./packaged-function.ts";
import recorded from "./recorded-batch.json" with { type: "json" };

const runtime = inject("lambdaRuntime");
const [good, duplicate, poison] = recorded.Records;
const response = (...failed: readonly string[]) => ({
  kind: "response",
  body: { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) },
});

async function machineConfigs(hub: Hub) {
  const objects = await hub.list(kinds.MachineConfig);
  return objects.map(({ metadata: { name, resourceVersion } }) => ({ name, resourceVersion }));
}

/** Subscribes the queue `subscriber` to the outcome topic. */
async function subscribe({ sqs, sns, topicArn, queue }: EmbeddedMessaging): Promise<void> {
  const { url } = queue("subscriber");
  const queueAttributes = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["QueueArn"] }),
  );
  const subscription = {
    TopicArn: topicArn,
    Protocol: "sqs",
    Endpoint: queueAttributes.Attributes?.QueueArn,
    Attributes: { RawMessageDelivery: "true" },
  };
  await sns.send(new SubscribeCommand(subscription));
}

describe(`the packaged mirror-config under ${runtime.name}`, () => {
  let packaged: PackagedFunction;
  beforeEach(async () => {
    packaged = await packagedFunction("mirror-config", runtime);
  });
  afterEach(() => packaged[Symbol.asyncDispose]());

  test("When a batch has a good message, its duplicate and a poison message, it should reconcile once and lose nothing", async () => {
    const { hub, messaging } = packaged;
    await subscribe(messaging);
    await using running = await packaged.start();

    expect(await running.invoke(recorded)).toEqual(response());

    expect((await machineConfigs(hub)).map(({ name }) => name)).toEqual([
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
      "hubrelay.reason": expect.stringMatching(/not a CloudEvent/),
    });
    const [outcome] = await messaging.queue("subscriber").receive({ waitSeconds: 5 });
    expect(JSON.parse(outcome?.body ?? "{}")).toMatchObject({
      specversion: "1.0",
      type: expect.stringMatching(/^dev\.hubrelay\./),
      source: hubId,
    });
  });

  test("When the hub is a Kubernetes API, it should read it over HTTP and find nothing left to write", async () => {
    await using first = await packaged.start();
    await first.invoke(recorded);
    const folder = await temporaryFolder();
    const api = await startReadOnlyApi(packaged.hub, join(folder, "kubeconfig"));
    onTestFinished(() => api.stop());

    await using running = await packaged.start({ HUBRELAY_HUB: `kubeconfig:${api.kubeConfigFile}` });
    expect(await running.invoke({ Records: [good] })).toEqual(response());
    expect(running.output()).toContain('"isUnchanged":true');
  });

  test("When the same batch is delivered again to the same process, it should succeed again and write nothing", async () => {
    await using running = await packaged.start();
    expect(await running.invoke({ Records: [good] })).toEqual(response());
    const written = await machineConfigs(packaged.hub);
    expect(await running.invoke({ Records: [good, duplicate] })).toEqual(response());
    expect(await machineConfigs(packaged.hub)).toEqual(written);
    expect(written).toHaveLength(2);
  });

  test("When the poison message cannot be moved to the dead-letter queue, it should return only that one as failed", async () => {
    const { sqs, deadLetters } = packaged.messaging;
    await sqs.send(new DeleteQueueCommand({ QueueUrl: deadLetters("mirror-configs").url }));
    await using running = await packaged.start();
    expect(await running.invoke(recorded)).toEqual(response(poison?.messageId ?? ""));
    expect(await machineConfigs(packaged.hub)).toHaveLength(2);
  });

  test.for([
    {
      name: "a setting is missing",
      set: { HUBRELAY_DEAD_LETTERS_URL: "" },
      reported: /HUBRELAY_DEAD_LETTERS_URL is not set; it/,
    },
    {
      name: "a setting is wrong",
      set: { HUBRELAY_LOG_LEVEL: "loud" },
      reported: /HUBRELAY_LOG_LEVEL is not a log level; it should/,
    },
  ])(
    "When $name, it should fail at its start and report the setting and the expected value",
    async ({ set, reported }) => {
      await using running = await packaged.start(set);
      const failure = running.invoke(recorded).then(({ body }) => JSON.stringify(body), String);
      await expect(failure).resolves.toMatch(reported);
    },
  );

  test("When only errors are to be logged, it should log only the dead letter", async () => {
    await using running = await packaged.start({ HUBRELAY_LOG_LEVEL: "error" });
    await running.invoke(recorded);
    const lines = running
      .output()
      .split("\n")
      .filter((line) => line.startsWith("{"));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: "error", event: "dead-lettered", messageId: poison?.messageId }),
    ]);
  });
});
