import { expect, test } from "vitest";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { mappedKeys } from "../../test/support/messages/mapped-keys.ts";
import { aStoredUpgrade, overUpgrade } from "../../test/support/precache/precache-snapshots.ts";
import { precacheReadyWatches } from "./watches.ts";

const required = { "hubrelay.dev/require-ready": "true" };
const [ofUpgrade] = precacheReadyWatches.watches;
const fingerprint = (cgu: KubernetesObject) => ofUpgrade?.fingerprint?.(cgu);
const planned = aStoredUpgrade(["sno1"], { annotations: required });

test.for<[string, KubernetesObject, boolean]>([
  ["no longer requires ready images", aStoredUpgrade(["sno1"]), true],
  [
    "pre-caches other content",
    aStoredUpgrade(["sno1"], { annotations: required, platformImage: "quay.io/b:1" }),
    true,
  ],
  ["gets another cluster", aStoredUpgrade(["sno1", "sno2"], { annotations: required }), true],
  ["is over", overUpgrade(planned), true],
  ["makes progress", aStoredUpgrade(["sno1"], { annotations: required, states: { sno1: "Active" } }), false],
])("When an upgrade %s, its images should be checked: %s", ([, after, isChecked]) => {
  expect(fingerprint(after) !== fingerprint(planned)).toBe(isChecked);
});

test("When rules of mirrors change, a planned upgrade should be reconciled, if there is one", async () => {
  const now = new Date("2026-03-01T02:00:00Z");
  const hub = memoryHub({ id: "urn:test:hub", now: () => now });
  const rules = { ...kinds.ImageDigestMirrorSet, name: "release" };
  expect(await mappedKeys(precacheReadyWatches, rules, hub)).toEqual([]);
  hub.put(overUpgrade(planned));
  expect(await mappedKeys(precacheReadyWatches, rules, hub)).toEqual([]);
  hub.put(planned);
  expect(await mappedKeys(precacheReadyWatches, rules, hub)).toEqual([{ name: "default/upgrade" }]);
});
