import { SubscribeCommand } from "@aws-sdk/client-sns";
import { DeleteQueueCommand, GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import type { EmbeddedMessaging } from "#shared/adapters/embedded/embedded-messaging.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { hubId, type PackagedFunction, packagedFunction } from "./packaged-function.ts";
import recorded from "./recorded-batch.json" with { type: "json" };

const runtime = inject("lambdaRuntime");
const [good, duplicate, poison] = recorded.Records;
const answer = (...failed: readonly string[]) => ({
  kind: "response",
  body: { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) },
});

async function machineConfigs(hub: Hub) {
  const objects = await hub.list(kinds.MachineConfig);
  return objects.map(({ metadata: { name, resourceVersion } }) => ({ name, resourceVersion }));
}

/** Lets the outcome topic deliver to the queue `subscriber`. */
async function subscribe({ sqs, sns, topicArn, queue }: EmbeddedMessaging): Promise<void> {
  const { url } = queue("subscriber");
  const answered = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["QueueArn"] }),
  );
  const subscription = {
    TopicArn: topicArn,
    Protocol: "sqs",
    Endpoint: answered.Attributes?.QueueArn,
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

  test("When a batch has a good message, its duplicate and poison, it should reconcile once and lose nothing", async () => {
    const { hub, messaging } = packaged;
    await subscribe(messaging);
    await using running = await packaged.start();

    expect(await running.invoke(recorded)).toEqual(answer());

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

  test("When the same batch comes again to the same process, it should answer again and write nothing", async () => {
    await using running = await packaged.start();
    expect(await running.invoke({ Records: [good] })).toEqual(answer());
    const written = await machineConfigs(packaged.hub);
    expect(await running.invoke({ Records: [good, duplicate] })).toEqual(answer());
    expect(await machineConfigs(packaged.hub)).toEqual(written);
    expect(written).toHaveLength(2);
  });

  test("When poison cannot be put aside, it should hand back the poison alone", async () => {
    const { sqs, deadLetters } = packaged.messaging;
    await sqs.send(new DeleteQueueCommand({ QueueUrl: deadLetters("mirror-configs").url }));
    await using running = await packaged.start();
    expect(await running.invoke(recorded)).toEqual(answer(poison?.messageId ?? ""));
    expect(await machineConfigs(packaged.hub)).toHaveLength(2);
  });

  test.for([
    {
      name: "a setting is missing",
      set: { HUBRELAY_DEAD_LETTERS_URL: "" },
      told: /HUBRELAY_DEAD_LETTERS_URL is not set; it/,
    },
    {
      name: "a setting is wrong",
      set: { HUBRELAY_LOG_LEVEL: "loud" },
      told: /HUBRELAY_LOG_LEVEL is no level; it should/,
    },
  ])(
    "When $name, it should fail at its start and say which and what belongs there",
    async ({ set, told }) => {
      await using running = await packaged.start(set);
      const failure = running.invoke(recorded).then(({ body }) => JSON.stringify(body), String);
      await expect(failure).resolves.toMatch(told);
    },
  );

  test("When only errors are to be logged, it should log the dead letter and no more", async () => {
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
