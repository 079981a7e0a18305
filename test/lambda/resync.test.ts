import { describe, expect, inject, test } from "vitest";
import { parseHubEvent } from "#shared/domain/plan/hub-event.ts";
import { hubId, packagedFunction } from "./packaged-function.ts";
import { at, packagedResources } from "./template.ts";

const runtime = inject("lambdaRuntime");

describe(`the packaged resync under ${runtime.name}`, () => {
  test("When the schedule ticks, it should send one reference for everything that is reconciled", async () => {
    const [schedule] = (await packagedResources(["OnLambda"]))("AWS::Scheduler::Schedule");
    const tick: unknown = JSON.parse(String(schedule && at(schedule, "Target", "Input")));
    await using packaged = await packagedFunction("resync", runtime);
    await using running = await packaged.start();

    expect(await running.invoke(tick)).toEqual({
      kind: "response",
      body: { messages: 2, unchanged: 0, postponed: [] },
    });

    const received = await packaged.messaging.queue("mirror-configs").receive({ waitSeconds: 5 });
    expect(received.map(({ body }) => parseHubEvent(body))).toEqual([
      expect.objectContaining({
        ok: true,
        event: expect.objectContaining({ trigger: "object", source: hubId }),
      }),
    ]);
  });
});
