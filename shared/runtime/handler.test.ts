import { setImmediate as settled } from "node:timers/promises";
import { describe, expect, expectTypeOf, test } from "vitest";
import { aSystem, change, mirrorSet, nothing, now } from "../../test/support/messages/handled-batch.ts";
import { aRecord } from "../../test/support/messages/sqs-record.ts";
import { kinds, type ObjectReference, referenceTo } from "../domain/kubernetes/object.ts";
import { hubEvent } from "../domain/plan/hub-event.ts";
import { outcomeEvent } from "../domain/plan/outcome-event.ts";
import type { Plan } from "../domain/plan/plan.ts";
import { HubError } from "../ports/hub.ts";
import { OutcomeTopicError } from "../ports/outcome-topic.ts";
import type { Ports } from "../ports/ports.ts";
import type { Controller } from "./controller.ts";

test("When a function needs an external port, ports without it should not fit, and those with more should", () => {
  expectTypeOf<Ports>().not.toExtend<Ports<"registry">>();
  expectTypeOf<Ports<"registry" | "guests">>().toExtend<Ports<"registry">>();
  expectTypeOf<Controller<"registry">>().not.toExtend<Controller<never>>();
  expectTypeOf<Controller<"registry">>().toExtend<Controller>();
});

const outcome = outcomeEvent({
  type: "dev.hubrelay.mirror-config.rendered",
  source: "urn:test:hub",
  subject: "acme",
  from: "",
  at: "2026-03-01T02:00:00Z",
  data: {},
});
const update = { verb: "update", object: mirrorSet("acme"), reason: "it differs" } as const;

describe("an SQS batch of hub events", () => {
  test("When an event is about the function's own write, it should not reconcile again, but at a tick it should", async () => {
    const stored = { ...mirrorSet("acme"), metadata: { name: "acme", uid: "1", resourceVersion: "3" } };
    const { handle, reconciles } = aSystem(
      () => ({ ...nothing, actions: [update] }),
      {},
      async () => stored,
    );
    await handle([aRecord("a", change("acme"))]);
    const changed = (verb: "update" | "add", resourceVersion: string) =>
      JSON.stringify(
        hubEvent(verb, referenceTo({ ...stored, metadata: { ...stored.metadata, resourceVersion } }), {
          source: "urn:test:hub",
        }),
      );
    expect(await handle([aRecord("b", changed("update", "3"))])).toEqual([]);
    expect(reconciles).toEqual(["acme"]);
    await handle([aRecord("c", changed("update", "4"))]);
    await handle([aRecord("d", changed("add", "3"))]);
    expect(reconciles).toEqual(["acme", "acme", "acme"]);
  });

  test("When the objects of a batch are derived from the same source, it should be read twice, not for each", async () => {
    let reads = 0;
    const list = async () => {
      reads++;
      await settled();
      return [];
    };
    const plan: Controller<never>["plan"] = async ({ hub }) => {
      await hub.list(kinds.ImageTagMirrorSet);
      return nothing;
    };
    const { handle } = aSystem(undefined, { plan }, undefined, undefined, { list });
    await handle(Array.from({ length: 10 }, (_, index) => aRecord(`${index}`, change(`acme-${index}`))));
    expect(reads).toBe(2);
  });

  test("When a message can never be read, it should be dead-lettered at once with its reason, and be done", async () => {
    const { handle, deadLetters, reconciles } = aSystem();
    const failed = await handle([aRecord("a", "no event"), aRecord("b", change("acme"))]);
    expect({ failed, reconciles }).toEqual({ failed: [], reconciles: ["acme"] });
    expect(deadLetters.sent).toMatchObject([
      { body: "no event", attributes: { "hubrelay.function": "test", "hubrelay.messageId": "a" } },
    ]);
    expect(deadLetters.sent[0]?.attributes?.["hubrelay.reason"]).toContain("not JSON");
  });

  test("When an object is reconciled, it should log how long its oldest event has waited", async () => {
    const { handle, entries } = aSystem();
    const sentAgo = (id: string, ms: number) => aRecord(id, change("acme"), { sentAt: now.getTime() - ms });
    await handle([sentAgo("a", 100), sentAgo("b", 7_000)]);
    expect(entries).toContainEqual({
      event: "reconciled",
      key: "acme",
      messages: 2,
      durationMs: 0,
      ageMs: 7_000,
      isUnchanged: true,
      correlationId: "1/2/update",
    });
    expect(entries.at(-1)).toEqual({ event: "handled", messages: 2, failed: 0 });
  });

  test.for([
    { when: "hubrelay delayed it itself", dueAt: now.getTime() - 7_000, ageMs: 7_000 },
    {
      when: "it was moved back from the dead letters, after an earlier delay",
      dueAt: now.getTime() - 2_000_000,
      ageMs: 907_000,
    },
    { when: "somebody claims a longer delay", dueAt: now.getTime() + 2_000_000, ageMs: 7_000 },
  ])("When a message is handled and $when, its age should count from when it was due", async (one) => {
    const { handle, entries } = aSystem();
    const record = aRecord("a", change("acme"), { sentAt: now.getTime() - 907_000 });
    const stringValue = new Date(one.dueAt).toISOString();
    const messageAttributes = { "hubrelay.dueAt": { dataType: "String" as const, stringValue } };
    await handle([{ ...record, messageAttributes }]);
    expect(entries).toContainEqual(expect.objectContaining({ event: "reconciled", ageMs: one.ageMs }));
  });

  test("When several events lead to one reconcile, all their ids should lead to its outcome", async () => {
    const { handle, entries, published } = aSystem(
      () => ({ ...nothing, actions: [{ ...update, outcomes: [outcome] }] }),
      {},
      async (object) => object,
    );
    const event: object = JSON.parse(change("acme"));
    const first = JSON.stringify({ ...event, id: "one" });
    const second = JSON.stringify({ ...event, id: "two", correlationid: "before" });
    await handle([aRecord("a", first), aRecord("b", second)]);
    expect(published).toEqual([{ ...outcome, correlationid: "one" }]);
    const received = entries.filter(({ event }) => event === "event-received");
    expect(received).toMatchObject([
      { eventId: "one", correlationId: "one" },
      { eventId: "two", correlationId: "before" },
    ]);
    const others = entries.filter(({ event }) => event !== "event-received" && event !== "handled");
    expect(others.map(({ event, correlationId }) => [event, correlationId])).toEqual([
      ["written", "one"],
      ["published", "one"],
      ["reconciled", "one"],
    ]);
    expect(others.at(-1)).toMatchObject({ joined: ["before"] });
  });

  test("When an event is not relevant to the function, its message should be done without a reconcile", async () => {
    const { handle, reconciles, deadLetters } = aSystem();
    const failed = await handle([
      aRecord("a", change("x", kinds.ClusterVersion)),
      aRecord("b", '{"tick":"resync"}'),
    ]);
    expect({ failed, reconciles, dead: deadLetters.sent }).toEqual({ failed: [], reconciles: [], dead: [] });
  });

  test("When the hub is unavailable, the message should be redelivered after a pause", async () => {
    const { handle, work } = aSystem(() => {
      throw new HubError("Unavailable", "down");
    });
    expect(await handle([aRecord("a", change("acme"))])).toEqual(["a"]);
    expect(work.hidden).toEqual([["handle of a", 2]]);
  });

  describe("parts of a key", () => {
    const parts = ({ name }: ObjectReference) =>
      name === "whole" ? [{ name: "all" }] : [{ name: "all", part: name }];
    const ofParts = { watches: [{ kind: kinds.ImageDigestMirrorSet, mapToKeys: parts }] };
    test("When all messages name parts, the plan should be made for those, each once", async () => {
      const { handle, requests } = aSystem(() => nothing, ofParts);
      await handle([aRecord("a", change("x")), aRecord("b", change("y")), aRecord("c", change("x"))]);
      expect(requests).toMatchObject([{ key: "all", parts: ["x", "y"] }]);
    });

    test("When one message names no part, the plan should be made for everything", async () => {
      const { handle, requests } = aSystem(() => nothing, ofParts);
      await handle([aRecord("a", change("x")), aRecord("b", change("whole"))]);
      expect(requests).toMatchObject([{ key: "all", parts: undefined }]);
    });

    test("When a part could not be read, only its messages should be redelivered, after a pause", async () => {
      const unread = [{ part: "bad", error: new HubError("Unavailable", "down") }];
      const { handle, work } = aSystem(() => ({ ...nothing, unread }), ofParts);
      expect(await handle([aRecord("a", change("good")), aRecord("b", change("bad"))])).toEqual(["b"]);
      expect(work.hidden).toEqual([["handle of b", 2]]);
    });
  });

  test("When a plan was a first step, it should reconcile again at once", async () => {
    const steps: Plan[] = [{ ...nothing, again: true }, nothing];
    const { handle, reconciles } = aSystem(() => steps.shift() ?? nothing);
    expect(await handle([aRecord("a", change("acme"))])).toEqual([]);
    expect(reconciles).toEqual(["acme", "acme"]);
  });

  describe("when the topic rejects the outcomes", () => {
    const refusing = (code: OutcomeTopicError["code"]) =>
      aSystem(
        () => ({ ...nothing, actions: [{ ...update, outcomes: [outcome] }] }),
        {},
        async (object) => object,
        async () => {
          throw new OutcomeTopicError(code, "rejected");
        },
      );

    // Somebody has deleted a topic or the queue of one subscriber: until it is back, everything else goes on.
    const passing = ["PublishFailed", "TopicMissing"] as const;
    test.for(passing)(
      "When it may accept them later (%s), the key should be requeued as a new message that says so",
      async (code) => {
        const { handle, work } = refusing(code);
        const body = change("acme");
        expect(await handle([aRecord("a", body, { receiveCount: 3, sentAt: 5_000 })])).toEqual([]);
        expect(work.sent).toEqual([
          {
            body,
            delaySeconds: 8,
            attributes: {
              "hubrelay.unpublished": "4",
              "hubrelay.unpublishedSince": "1970-01-01T00:00:00.000Z",
            },
          },
        ]);
      },
    );

    test("When it has accepted an outcome, a later reception should not publish it again", async () => {
      const published: string[] = [];
      const newer = { ...outcome, id: "newer" };
      let isAway = false;
      const { handle } = aSystem(
        () => ({ ...nothing, standing: () => [outcome, newer] }),
        {},
        async (object) => object,
        async (events) => {
          const refused = isAway ? [newer.id] : [];
          const taken = events.map(({ id }) => id).filter((id) => !refused.includes(id));
          published.push(...taken);
          if (taken.length < events.length)
            throw new OutcomeTopicError("PublishFailed", "rejected", { accepted: taken });
        },
      );
      for (isAway of [true, false, false])
        await handle([aRecord("a", change("acme"), { receiveCount: 2, sentAt: now.getTime() })]);
      expect(published).toEqual([outcome.id, newer.id]);
    });

    test("When it will never accept them, the message itself should come again", async () => {
      const { handle, work } = refusing("TooLarge");
      expect(await handle([aRecord("a", change("acme"))])).toEqual(["a"]);
      expect(work.sent).toEqual([]);
    });
  });

  test.for([
    { what: "for the first time", record: aRecord("a", change("acme")), since: [] },
    {
      what: "a second time",
      record: aRecord("a", change("acme"), { receiveCount: 2, sentAt: now.getTime() }),
      since: ["2026-03-01T01:59:00.000Z"],
    },
    {
      what: "because the topic rejected its outcomes",
      record: {
        ...aRecord("a", change("acme"), { sentAt: now.getTime() }),
        messageAttributes: {
          "hubrelay.unpublishedSince": { dataType: "String" as const, stringValue: "2026-03-01T01:31:00Z" },
        },
      },
      since: ["2026-03-01T01:30:00.000Z"],
    },
  ])(
    "When a message comes $what, it should publish the outcomes since then or nothing",
    async ({ record, since: expected }) => {
      const since: string[] = [];
      const standing = (date: Date) => {
        since.push(date.toISOString());
        return [];
      };
      const { handle } = aSystem(() => ({ ...nothing, standing }));
      await handle([record]);
      expect(since).toEqual(expected);
    },
  );

  test("When a plan has a requeue time, a message should be delayed until then", async () => {
    const { handle, work } = aSystem(() => ({ ...nothing, requeueAt: new Date(now.getTime() + 90_000) }));
    const body = change("acme");
    expect(await handle([aRecord("a", body), aRecord("b", body)])).toEqual([]);
    expect(work.sent).toEqual([{ body, delaySeconds: 90 }]);
  });
});
