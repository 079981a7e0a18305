import { expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { aFleet, snapshotOf } from "../../test/support/console/console-snapshots.ts";
import { pageText } from "./html.ts";
import type { PagePath } from "./layout.ts";
import { failedPage, renderPage } from "./render-page.ts";

const textOf = (path: PagePath, unread: readonly string[], objects: Parameters<typeof snapshotOf>[0] = []) =>
  pageText(renderPage(path, {}, snapshotOf(objects, { unread })));

test.for<Readonly<{ path: PagePath; kind: string; empty: string }>>([
  { path: "/precaching", kind: "ClusterGroupUpgrade", empty: "No ClusterGroupUpgrade is pre-cached" },
  { path: "/windows", kind: "MaintenanceWindow", empty: "The hub has no MaintenanceWindow" },
  { path: "/hosted", kind: "HostedCluster", empty: "The hub has no HostedCluster" },
  { path: "/mirrors", kind: "ImageTagMirrorSet", empty: "The hub has no mirrors" },
])("When $kind is not read, $path should say so instead of that there is none", ({ path, kind, empty }) => {
  expect(textOf(path, [])).toContain(empty);
  const unread = textOf(path, [kind, "Event"]);
  expect(unread).not.toContain(empty);
  expect(unread).toContain(`Not read yet: ${kind}<`);
  expect(unread).toContain("hubrelay-console");
});

test("When kinds are not read, the overview should not say that nothing needs a person", () => {
  expect(textOf("/", [])).toContain("Nothing needs a person now.");
  const text = textOf("/", [kinds.ClusterGroupUpgrade.kind, kinds.MaintenanceWindow.kind]);
  expect(text).not.toContain("Nothing needs a person now.");
  expect(text).not.toContain("No ClusterGroupUpgrade is pre-cached");
  expect(text).toContain("Not read yet: ClusterGroupUpgrade, MaintenanceWindow");
});

test("When some sites have failed clusters, their headings should have the number", () => {
  const text = textOf("/precaching", [], aFleet({ a: { state: "UnrecoverableError" }, b: {}, c: {} }));
  expect(text).toMatch(
    /class="hr-site-title">.*1\/3 ended<\/small> <span class="hr-state hr-failed">.*1<\/span>/,
  );
});

test("When a page cannot be made, it should say why, without credentials", () => {
  const text = pageText(failedPage("Windows", "https://user:secret@hub.example.com has no items"));
  expect(text).toContain("This page cannot be made");
  expect(text).toContain("has no items");
  expect(text).not.toContain("secret");
});

test("When hundreds of objects have errors, the overview should show the first, and the others unfolded", () => {
  const issues = Array.from({ length: 300 }, (_, index) => ({
    object: { kind: "ImageDigestMirrorSet", name: `set-${index}` },
    path: "spec",
    value: null,
    code: "InvalidType",
    severity: "error",
    message: "It must be an object",
    remedy: "Write an object.",
  }));
  const of = { function: "mirror-config", key: "cluster", decisions: [], writes: [], differs: false };
  const snapshot = snapshotOf([], { verifications: [{ ...of, issues: issues as never }] });
  const text = pageText(renderPage("/", {}, snapshot));
  expect(text).toContain("set-299");
  expect(text.indexOf("295 more")).toBeGreaterThan(text.indexOf("set-4<"));
  expect(text.indexOf("295 more")).toBeLessThan(text.indexOf("set-5<"));
});
