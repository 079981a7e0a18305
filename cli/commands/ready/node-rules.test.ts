import { expect, test } from "vitest";
import { anImageDigestMirrorSet } from "#shared/domain/mirrors/fixtures.ts";
import { aMachineConfig, dropInPath } from "#shared/domain/openshift/machine-config/fixtures.ts";
import { nodeRules } from "./node-rules.ts";

const entry = '[[registry]]\nlocation = "quay.io"\n[[registry.mirror]]\nlocation = "tags.lan"\n';
const rules = anImageDigestMirrorSet("quay", [{ source: "quay.io", mirrors: ["m.lan"] }]);
const dropIn = aMachineConfig("99-worker-tags", { [dropInPath]: entry });

function locationsBy(...args: Parameters<typeof nodeRules>): readonly string[] {
  const found = nodeRules(...args);
  if ("refusal" in found) throw new Error("refused");
  const route = found.groups[0]?.routeOf("quay.io/app:v1");
  if (!route || "problem" in route) throw new Error(route?.problem);
  return route.locations.filter(({ skipped }) => !skipped).map(({ reference }) => reference);
}

test("When a MachineConfig writes a drop-in, its mirrors should be where nodes look", () => {
  expect(locationsBy([rules, dropIn], {})).toEqual(["tags.lan/app:v1", "quay.io/app:v1"]);
  expect(locationsBy([rules, dropIn], { pool: "master" })).toEqual(["quay.io/app:v1"]);
  const generated = aMachineConfig("99-worker-generated-registries", {});
  expect(locationsBy([dropIn, generated], { pool: "worker" })[0]).toBe("tags.lan/app:v1");
});
