import { expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { anImageDigestMirrorSet } from "#shared/domain/mirrors/fixtures.ts";
import { aMachineConfig, dropInPath } from "#shared/domain/openshift/machine-config/fixtures.ts";
import { snapshotOf } from "../../../test/support/console/console-snapshots.ts";
import { pageText } from "../html.ts";
import { renderPage } from "../render-page.ts";

const digest = `sha256:${"a".repeat(64)}`;
const rules = anImageDigestMirrorSet("acme", [
  { source: "quay.io/acme", mirrors: ["one.lab/acme"], mirrorSourcePolicy: "NeverContactSource" },
]);
const pool = {
  apiVersion: kinds.MachineConfigPool.apiVersion,
  kind: "MachineConfigPool",
  metadata: { name: "worker", labels: { "machineconfiguration.openshift.io/mco-built-in": "" } },
};

function page(query: Parameters<typeof renderPage>[1], verdict = "unchanged"): string {
  const decision = { subject: "99-worker-generated-registries", verdict, reason: "why" };
  const of = { function: "mirror-config", key: "cluster", writes: [], issues: [], differs: false };
  const snapshot = snapshotOf([rules, pool], { verifications: [{ ...of, decisions: [decision] }] });
  return pageText(renderPage("/mirrors", query, snapshot));
}

test("When an image is asked for, the verdict should come before the path, whose places are tried or skipped", () => {
  const text = page({ image: `quay.io/acme/app@${digest}` });
  const places = ["hr-verdict", "requested", "tried first", "skipped", "signature policy"];
  const found = places.map((one) => text.indexOf(one));
  expect(found).toEqual(found.toSorted((a, b) => a - b));
  expect(found[0]).toBeGreaterThan(0);
  expect(text).toContain("source=ImageDigestMirrorSet%2Facme");
});

test.for([
  { verdict: "unchanged", mark: "✓" },
  { verdict: "refused", mark: "⚠" },
  { verdict: "waiting", mark: "⚠" },
])("When a pool is $verdict, it should be marked with $mark", ({ verdict, mark }) => {
  expect(page({}, verdict)).toMatch(new RegExp(`${mark}</span>\u00a0${verdict}<`));
});

test("When a MachineConfig of people mirrors a source, an image's path should have the mirror and the file", () => {
  const mirror = '[[registry]]\nlocation = "ghcr.io"\n[[registry.mirror]]\nlocation = "hub.lab"\n';
  const dropIn = aMachineConfig("99-worker-tags", { [dropInPath]: mirror });
  const snapshot = snapshotOf([rules, pool, dropIn]);
  const text = pageText(renderPage("/mirrors", { image: "ghcr.io/acme/app:v1" }, snapshot));
  for (const part of ["hub.lab/acme/app:v1", `${dropInPath} of MachineConfig 99-worker-tags`])
    expect(text).toContain(part);
});
