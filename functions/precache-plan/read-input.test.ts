import { expect, test } from "vitest";
import { manifestHub } from "#shared/adapters/hub/manifest-hub.ts";
import {
  anUpgrade,
  aPolicy,
  aWantedRelease,
  copiesOf,
} from "../../test/support/precache/precache-plan-objects.ts";
import { readPlanInput } from "./read-input.ts";

test("When the hub resolves a policy alike for many clusters, their copies should be one spec in memory, without status", async () => {
  const withImage = (image: string) => aPolicy("platform", [aWantedRelease({ desiredUpdate: { image } })]);
  const managedFields = [{ manager: "propagator" }];
  const copies = copiesOf(withImage("quay.io/release@sha256:1"), ["sno1", "sno2", "sno3"]).map(
    (copy, index) => ({
      ...copy,
      // Each cluster has one of its own, as JSON of an API server is.
      spec: structuredClone(copy.spec),
      metadata: { ...copy.metadata, uid: `copy-${index}`, managedFields },
      status: { compliant: "NonCompliant", details: [{ history: [] }] },
    }),
  );
  const root = withImage('{{hub index .ManagedClusterLabels "image" hub}}');
  const upgrade = anUpgrade();
  const { policies } = await readPlanInput(manifestHub("hub", [upgrade, root, ...copies]), upgrade);
  const [first, second, third] = policies.filter(({ metadata }) => metadata.uid?.startsWith("copy"));
  expect(first).toEqual({
    ...copies[0],
    metadata: expect.not.objectContaining({ managedFields }),
    status: undefined,
  });
  expect(new Set([first?.spec, second?.spec, third?.spec]).size).toBe(1);
});
