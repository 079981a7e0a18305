import { describe, expect, test } from "vitest";
import { type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { keptOutcomes, outcomesAnnotation, withOutcome } from "./kept-outcomes.ts";
import { outcomeEvent } from "./outcome-event.ts";
import type { Action } from "./plan.ts";

const { apiVersion, kind } = kinds.MachineConfig;
const object: KubernetesObject = { apiVersion, kind, metadata: { name: "m", annotations: { owner: "me" } } };
const about = { source: "urn:test:hub", type: "dev.hubrelay.mirror-config.", subjects: ["m"] } as const;
const anOutcome = (from: string, data = {}) =>
  outcomeEvent({
    type: "dev.hubrelay.mirror-config.rendered",
    source: "urn:test:hub",
    subject: "m",
    from,
    at: "2026-03-01T02:00:00Z",
    data,
  });

/** The object after a write with each of these outcomes. */
function afterWrites(...outcomes: readonly ReturnType<typeof anOutcome>[]): KubernetesObject {
  return outcomes.reduce<KubernetesObject>((present, outcome) => {
    const action: Action = { verb: "update", object: present, reason: "it differs" };
    return withOutcome(action, outcome).object;
  }, object);
}

const annotatedWith = (text: string): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { [outcomesAnnotation]: text } },
});

describe("outcomes that an object keeps", () => {
  test("When it was written again and again, it should keep the last five, beside others' annotations", () => {
    const outcomes = ["1", "2", "3", "4", "5", "6", "7"].map((from) => anOutcome(from));
    const written = afterWrites(...outcomes);
    expect(keptOutcomes([written], about)).toEqual(outcomes.slice(2));
    expect(written.metadata.annotations?.owner).toBe("me");
  });

  test("When outcomes are large, it should keep as many as an annotation has room for", () => {
    const large = (from: string) => anOutcome(from, { text: "x".repeat(12_000) });
    expect(keptOutcomes([afterWrites(large("1"), large("2"), large("3"))], about)).toEqual([
      large("2"),
      large("3"),
    ]);
    const tooLarge = anOutcome("4", { texts: [1, 2, 3].map(() => "x".repeat(12_000)) });
    expect(afterWrites(tooLarge)).toEqual(object);
  });

  test("When a status is written or an object deleted, the object should stay as it is", () => {
    for (const verb of ["update-status", "delete"] as const)
      expect(withOutcome({ verb, object, reason: "" }, anOutcome("1"))).toMatchObject({
        object,
        outcomes: [anOutcome("1")],
      });
  });

  test.for([
    ["text that is not JSON", "{"],
    ["no list", '{"id":"1"}'],
    ["no outcome", '[null,1,{"specversion":"1.0"}]'],
    ["another function's", JSON.stringify([{ ...anOutcome("1"), type: "dev.hubrelay.precache.finished" }])],
    ["another hub's", JSON.stringify([{ ...anOutcome("1"), source: "urn:other:hub" }])],
    ["about something else", JSON.stringify([{ ...anOutcome("1"), subject: "n" }])],
  ] as const)("When somebody wrote %s there, it should not be published", ([, text]) => {
    expect(keptOutcomes([annotatedWith(text)], about)).toEqual([]);
  });
});
