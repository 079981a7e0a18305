import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { subscribeQueue } from "../support/messages/subscribe-queue.ts";
import { hubId, type PackagedFunction, packagedFunction } from "./packaged-function.ts";
import recorded from "./recorded-batch.json" with { type: "json" };

const runtime = inject("lambdaRuntime");
const [, , poison] = recorded.Records;
const response = (...failed: readonly string[]) => ({
  kind: "response",
  body: { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) },
});

async function machineConfigs(hub: Hub) {
  const objects = await hub.list(kinds.MachineConfig);
  return objects.map(({ metadata: { name, resourceVersion } }) => ({ name, resourceVersion }));
}

describe(`the packaged mirror-config under ${runtime.name}`, () => {
  let packaged: PackagedFunction;
  beforeEach(async () => {
    packaged = await packagedFunction("mirror-config", runtime);
  });
  afterEach(() => packaged[Symbol.asyncDispose]());

  test("When a batch has a good message, its duplicate and a poison message, it should reconcile once and lose nothing", async () => {
    const { hub, messaging } = packaged;
    await subscribeQueue(messaging, "subscriber");
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
});
