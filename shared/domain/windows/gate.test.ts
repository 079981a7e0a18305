import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { windowObject } from "./fixtures.ts";
import { annotatedWindows, gateAt, namedWindows, selectedWindows } from "./gate.ts";
import { windowAnnotation } from "./window-names.ts";

const named = (name: string, spec: Readonly<Record<string, unknown>> = {}): KubernetesObject => ({
  ...windowObject(spec),
  metadata: { namespace: "fleet", name },
});
const anObject = (windows?: string): KubernetesObject => ({
  apiVersion: "ran.openshift.io/v1alpha1",
  kind: "ClusterGroupUpgrade",
  metadata: {
    namespace: "fleet",
    name: "upgrade",
    ...(windows === undefined ? {} : { annotations: { [windowAnnotation]: windows } }),
  },
});
const all = namedWindows([
  named("night"),
  named("west", { clusterSelector: { matchLabels: { site: "west" } } }),
  named("any", { clusterSelector: {} }),
  named("broken", { duration: "0h" }),
]);
const names = (windows: readonly { name: string }[] | undefined) => windows?.map(({ name }) => name);
const gate = (windows: readonly KubernetesObject[], now: string) =>
  gateAt(namedWindows(windows), ({ allow }) => allow.preCaching, new Date(now));

describe("which windows apply to an object", () => {
  test.for([
    { annotation: undefined, windows: undefined },
    { annotation: " , ", windows: undefined },
    { annotation: "night", windows: ["night"] },
    { annotation: "fleet/night, west", windows: ["night", "west"] },
  ])("When it is annotated with $annotation, it should be $windows", ({ annotation, windows }) => {
    expect(names(annotatedWindows(anObject(annotation), all))).toEqual(windows);
  });

  test("When an annotation names a missing window, the window should stay closed", () => {
    const windows = annotatedWindows(anObject("other/night"), all) ?? [];
    expect(gateAt(windows, () => true, new Date("2026-02-01T02:00:00Z"))).toMatchObject({
      isOpen: false,
      reason: "other/night is closed for good; other/night: no such MaintenanceWindow",
    });
  });

  test.for([
    { labels: { site: "west" }, windows: ["west", "any"] },
    { labels: { site: "east" }, windows: ["any"] },
    { labels: undefined, windows: ["any"] },
  ])(
    "When a cluster has the labels $labels, those that select it should be $windows",
    ({ labels, windows }) => {
      expect(names(selectedWindows(labels, all))).toEqual(windows);
    },
  );
});

describe("whether something may happen", () => {
  test("When there is no window, it should be allowed at any time", () => {
    expect(gate([], "2026-02-01T12:00:00Z")).toEqual({ windows: [], isOpen: true, atEnd: "Finish" });
  });

  test("When the window is open, it should be allowed until the window closes", () => {
    expect(gate([named("night")], "2026-02-01T02:00:00Z")).toEqual({
      windows: ["fleet/night"],
      isOpen: true,
      opening: { start: new Date("2026-02-01T01:00:00Z"), end: new Date("2026-02-01T03:30:00Z") },
      atEnd: "Suspend",
    });
  });

  test("When the window is closed, it should return when it opens", () => {
    expect(gate([named("night")], "2026-02-01T12:00:00Z")).toEqual({
      windows: ["fleet/night"],
      atEnd: "Suspend",
      isOpen: false,
      opensAt: new Date("2026-02-02T01:00:00Z"),
      reason: "fleet/night is closed until 2026-02-02T01:00:00Z",
    });
  });

  test("When several windows are open, the one that closes last should count", () => {
    const windows = [named("night"), named("long", { duration: "5h", atEnd: "Finish" })];
    expect(gate(windows, "2026-02-01T02:00:00Z")).toMatchObject({
      isOpen: true,
      opening: { start: new Date("2026-02-01T01:00:00Z"), end: new Date("2026-02-01T06:00:00Z") },
      atEnd: "Finish",
    });
  });

  test("When one of several windows cannot be read, the others should still open", () => {
    const windows = [named("broken", { duration: "0h" }), named("night")];
    expect(gate(windows, "2026-02-01T02:00:00Z")).toMatchObject({ isOpen: true });
    expect(gate(windows, "2026-02-01T12:00:00Z")).toMatchObject({
      isOpen: false,
      opensAt: new Date("2026-02-02T01:00:00Z"),
      reason: expect.stringContaining("fleet/broken: spec.duration: A window of zero length never opens"),
    });
  });

  test("When the only open window is for something else, it should not be allowed", () => {
    expect(gate([named("night", { allow: { preCaching: false } })], "2026-02-01T02:00:00Z")).toEqual({
      windows: ["fleet/night"],
      atEnd: "Suspend",
      isOpen: false,
      reason: "fleet/night is closed for good",
    });
  });
});

test("When an invalid window quotes a login, the reason that others read should not", () => {
  const [window] = namedWindows([windowObject({ timeZone: "https://robot:s3cr3t@quay.io" })]);
  expect(window).toMatchObject({ problem: expect.stringContaining("Unknown time zone") });
  expect(JSON.stringify(window)).not.toContain("s3cr3t");
});
