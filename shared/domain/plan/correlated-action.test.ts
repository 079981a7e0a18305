import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { correlatedAction, correlationAnnotation, keptOutcomesOn, withOutcome } from "./kept-outcomes.ts";
import { outcomeEvent } from "./outcome-event.ts";
import type { Action } from "./plan.ts";

const uid = "6f1c0000-0000-4000-8000-000000000000";
const id = `${uid}/42/update`;
const anOutcome = (from: string) =>
  outcomeEvent({
    type: "dev.hubrelay.mirror-config.rendered",
    source: "urn:test:hub",
    subject: "m",
    from,
    at: "2026-03-01T02:00:00Z",
    data: {},
  });
const anObject = (kind: string): KubernetesObject => ({
  apiVersion: kind === "Event" ? "v1" : "machineconfiguration.openshift.io/v1",
  kind,
  metadata: { name: "m", annotations: { owner: "me" } },
});
const write = (kind: string, verb: Action["verb"] = "update"): Action => ({
  verb,
  object: anObject(kind),
  reason: "it differs",
});

describe("correlatedAction", () => {
  test.for([
    { what: "a Kubernetes Event", action: write("Event", "create"), annotation: id },
    { what: "a Kubernetes Event again", action: write("Event"), annotation: id },
    { what: "another object", action: write("MachineConfig"), annotation: undefined },
    { what: "the end of a Kubernetes Event", action: write("Event", "delete"), annotation: undefined },
  ])("When it writes $what, its annotation should be $annotation", ({ action, annotation }) => {
    const { annotations } = correlatedAction(action, id).object.metadata;
    expect(annotations).toEqual({
      owner: "me",
      ...(annotation ? { [correlationAnnotation]: annotation } : {}),
    });
  });

  test("When an object keeps outcomes of earlier writes, only that of this write should get the id", () => {
    const earlier = withOutcome(write("MachineConfig"), anOutcome("1")).object;
    const action = withOutcome({ ...write("MachineConfig"), object: earlier }, anOutcome("2"));
    expect(keptOutcomesOn(correlatedAction(action, id).object)).toEqual([
      anOutcome("1"),
      { ...anOutcome("2"), correlationid: id },
    ]);
  });

  test.for([
    { form: "an event's id", text: id, isWritten: true },
    { form: "the id of an event about one cluster", text: `${uid}/42/update/sno-1.example`, isWritten: true },
    { form: "Knative's id", text: uid, isWritten: true },
    {
      form: "the id of an object without uid",
      text: "/apis/ran.openshift.io/v1alpha1/namespaces/default/clustergroupupgrades/up/unknown/update/sno1",
      isWritten: true,
    },
    { form: "a sentence", text: "call me on 555", isWritten: false },
    { form: "markup", text: `${uid}/42/update/<script>`, isWritten: false },
    { form: "another verb", text: `${uid}/42/sudo`, isWritten: false },
    { form: "a line more", text: `${id}\nx`, isWritten: false },
    { form: "nothing", text: undefined, isWritten: false },
    { form: "too long a text", text: `/${"a".repeat(250)}`.repeat(6), isWritten: false },
  ])("When a message has $form, isWritten should be $isWritten", ({ text, isWritten }) => {
    const { annotations = {} } = correlatedAction(write("Event"), text).object.metadata;
    expect(Object.hasOwn(annotations, correlationAnnotation)).toBe(isWritten);
  });
});
