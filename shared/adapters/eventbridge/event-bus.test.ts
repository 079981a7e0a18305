import { expect, onTestFinished, test } from "vitest";
import { type ScriptedResponse, scriptedServer } from "../../../test/support/servers/scripted-server.ts";
import { outcomeEvent } from "../../domain/plan/outcome-event.ts";
import { eventBridgeClient, eventBusOutcomeTopic } from "./event-bus.ts";

const headers = { "content-type": "application/x-amz-json-1.1" };
const source = "https://api.hub.lab:6443";
const bus = "arn:aws:events:eu-central-1:123456789012:event-bus/hubrelay-prod-outcomes";

const anEvent = (subject: string, data = {}) =>
  outcomeEvent({
    type: "dev.hubrelay.mirror-config.rendered",
    source,
    subject,
    from: "1",
    at: "2026-03-01T02:00:00Z",
    data,
  });

/** The server's response to entries: an id for each that it accepted, the code of an error for each that it did not. */
const putResponse = (...codes: readonly (string | undefined)[]): ScriptedResponse => ({
  headers,
  body: JSON.stringify({
    FailedEntryCount: codes.filter(Boolean).length,
    Entries: codes.map((ErrorCode, index) => (ErrorCode ? { ErrorCode } : { EventId: `e-${index}` })),
  }),
});

async function scripted(...responses: readonly ScriptedResponse[]) {
  const { endpoint, requests } = await scriptedServer(...responses);
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const client = eventBridgeClient({ region: "eu-central-1", endpoint, credentials });
  onTestFinished(() => client.destroy());
  return {
    topic: eventBusOutcomeTopic(client, bus),
    entries: () => requests.map((one) => JSON.parse(one).Entries),
  };
}

test("When an event is put, source, type, hub, subject and time should be where rules look for them", async () => {
  const { topic, entries } = await scripted(putResponse(undefined));
  const event = anEvent("a");
  await topic.publish([event]);
  expect(entries()).toEqual([
    [
      {
        EventBusName: bus,
        Source: "dev.hubrelay",
        DetailType: event.type,
        Resources: [source, "a"],
        Detail: JSON.stringify(event),
        Time: Date.parse("2026-03-01T02:00:00Z") / 1000,
      },
    ],
  ]);
});

test("When the bus refused some entries, only those should be put once more, with the same id", async () => {
  const { topic, entries } = await scripted(
    putResponse(undefined, "ThrottlingException", undefined, "InternalFailure"),
    putResponse(undefined, undefined),
  );
  const events = ["a", "b", "c", "d"].map((subject) => anEvent(subject));
  await topic.publish(events);
  const ids = entries().map((some) => some.map(({ Detail }: { Detail: string }) => JSON.parse(Detail).id));
  const [a, b, c, d] = events.map(({ id }) => id);
  expect(ids).toEqual([
    [a, b, c, d],
    [b, d],
  ]);
});

test("When the bus never accepts an event, the requests after it should be made nevertheless", async () => {
  const accepts = (count: number) => Array.from({ length: count }, () => undefined);
  const { topic, entries } = await scripted(
    putResponse("MalformedDetail", ...accepts(9)),
    putResponse("MalformedDetail"),
    putResponse(...accepts(2)),
  );
  const events = Array.from({ length: 12 }, (_, index) => anEvent(`${index}`));
  await expect(topic.publish(events)).rejects.toMatchObject({
    code: "PublishFailed",
    accepted: new Set(events.slice(1).map(({ id }) => id)),
  });
  expect(entries().map(({ length }) => length)).toEqual([10, 1, 2]);
});

test("When the bus accepts nothing at all, it should not be asked for every event that waits", async () => {
  const { topic, entries } = await scripted(
    putResponse(...Array.from({ length: 10 }, () => "ThrottlingException")),
  );
  const events = Array.from({ length: 200 }, (_, index) => anEvent(`${index}`));
  await expect(topic.publish(events)).rejects.toMatchObject({
    message: "event bus hubrelay-prod-outcomes: 200 of 200 events not accepted: ThrottlingException",
    accepted: new Set(),
  });
  expect(entries()).toHaveLength(6);
});
