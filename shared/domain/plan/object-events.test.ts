import { expect, test } from "vitest";
import { fieldIssue } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { issueEvents, type ObjectEvent, planObjectEvents } from "./object-events.ts";

const now = new Date("2026-03-01T02:00:00Z");
const regarding: KubernetesObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "acme", namespace: "team-a", uid: "1", generation: 3 },
};
const objectEvent: ObjectEvent = { regarding, type: "Normal", reason: "Reported", message: "something" };
const plan = (objectEvents: readonly ObjectEvent[], existing: readonly KubernetesObject[] = []) =>
  planObjectEvents({ objectEvents, existing, component: "test", labels: {}, now });
const written = (actions: ReturnType<typeof plan>) => actions.map(({ object }) => object);

test("When objects conflict, each of them should have an Event", () => {
  const other = { ...regarding, metadata: { ...regarding.metadata, name: "other" } };
  const issueOf = (object: KubernetesObject) =>
    fieldIssue(object, "data.a", "b", { code: "InvalidValue", message: "It conflicts.", remedy: "" });
  const issue = { ...issueOf(regarding), conflicting: [issueOf(other)] };
  expect(issueEvents([issue], [regarding, other]).map((event) => event.regarding)).toEqual([
    regarding,
    other,
  ]);
});

test("When a report has a memory, its Event should carry it, once", () => {
  const events = written(plan([{ ...objectEvent, memory: { "example.com/m": "1" } }]));
  expect(events[0]?.metadata.annotations).toEqual({ "hubrelay.dev/observed": "1/3", "example.com/m": "1" });
  expect(plan([{ ...objectEvent, memory: { "example.com/m": "1" } }], events)).toEqual([]);
});

test("When only the memory is another, the Event should get it, and keep what others wrote", () => {
  const [event] = written(plan([{ ...objectEvent, memory: { "example.com/m": "1" } }]));
  if (!event) throw new Error("it was written");
  const annotations = { ...event.metadata.annotations, note: "mine" };
  const existing = [{ ...event, metadata: { ...event.metadata, annotations } }];
  const [action] = plan([{ ...objectEvent, memory: { "example.com/m": "2" } }], existing);
  expect(action?.verb).toBe("update");
  expect(action?.object.metadata.annotations).toEqual({ ...annotations, "example.com/m": "2" });
});

test("When a report has no memory any more, its Event should keep the old one", () => {
  const events = written(plan([{ ...objectEvent, memory: { "example.com/m": "1" } }]));
  expect(plan([objectEvent], events)).toEqual([]);
});

test("When a report has to last, its Event should be written again after half an hour, with its first time", () => {
  const lasting: ObjectEvent = { ...objectEvent, isLasting: true };
  const events = written(plan([lasting]));
  const after = (minutes: number, report: ObjectEvent) =>
    planObjectEvents({
      objectEvents: [report],
      existing: events,
      component: "test",
      labels: {},
      now: new Date(now.getTime() + minutes * 60_000),
    });
  expect(after(29, lasting)).toEqual([]);
  expect(after(300, objectEvent)).toEqual([]);
  expect(after(30, lasting)).toMatchObject([
    {
      verb: "update",
      object: { count: 2, firstTimestamp: "2026-03-01T02:00:00Z", lastTimestamp: "2026-03-01T02:30:00Z" },
    },
  ]);
});
