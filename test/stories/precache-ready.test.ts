import { expect, test } from "vitest";
import { kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { aMachineConfig, dropInPath } from "#shared/domain/openshift/machine-config/fixtures.ts";
import { ended } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade } from "../support/precache/precache-system.ts";
import { aWindow, pulling } from "../support/precache/precache-windows.ts";
import { heldFleet } from "../support/ready/ready-fleet.ts";

test.for([
  { version: "4.20.4", unsigned: 0 },
  { version: "4.21.4", unsigned: 1 },
  { version: "4.22.4", unsigned: 3 },
])("When clusters go to $version, $unsigned images without a signature should not be ready", async (row) => {
  const fleet = heldFleet({ version: row.version, components: 2 });
  await fleet.finish();
  expect(fleet.readiness().match(/: unsigned/g) ?? []).toHaveLength(row.unsigned);
  expect(fleet.readiness().slice(0, 5)).toBe(row.unsigned === 0 ? "True " : "False");
});

test.for([
  {
    what: "to another mirror",
    text: `[[registry]]\nlocation = "quay.io/openshift-release-dev/ocp-v4.0-art-dev"\nblocked = true\n[[registry.mirror]]\nlocation = "other.lan/release"\n`,
    readiness: "False ImagesNotReady: 3 of 4 images are not ready",
  },
  {
    what: "in a file that nodes refuse",
    text: "[[registry",
    readiness: "MachineConfig/99-worker-tags: Nodes with this file pull no image",
  },
])("When a MachineConfig sends nodes $what, it should count at once, and until it is gone", async (row) => {
  const fleet = heldFleet();
  await fleet.finish();
  expect(fleet.readiness()).toContain("True ImagesReady");
  const dropIn = aMachineConfig("99-worker-tags", { [dropInPath]: row.text });
  fleet.hub.put(dropIn);
  await fleet.finish();
  expect(fleet.readiness()).toContain(row.readiness);
  await fleet.hub.delete(referenceTo(dropIn));
  await fleet.finish();
  expect(fleet.readiness()).toContain("True ImagesReady");
});

test("When a mirror is garbage collected before the window, it should be noticed the day before, and no run should stop", async () => {
  // From three in the afternoon until five in the morning; it is two o'clock.
  const night = aWindow("night", { schedule: "0 15 * * *", duration: "14h" });
  const fleet = heldFleet({ components: 2, windows: [night] });
  await fleet.finish();
  expect(fleet.readiness()).toContain("True ImagesReady");
  expect(fleet.mayRun()).toEqual(["sno1", "sno2"]);

  fleet.lose(0);
  fleet.report(pulling);
  // Its images are asked for half a day before the next opening.
  await fleet.tickAfter((Date.parse("2026-03-01T02:59:00Z") - fleet.now().getTime()) / 60_000);
  expect(fleet.readiness()).toContain("True ImagesReady");
  await fleet.tickAfter(2);
  await fleet.finish();
  expect(fleet.readiness()).toContain(`False ImagesNotReady: 1 of 3 images are not ready`);
  expect(fleet.outcomesAboutImages()).toHaveLength(1);
  expect(fleet.works()).toHaveLength(2);
  fleet.report(ended("succeeds"));
  await fleet.finish();
  expect(fleet.states()).toEqual({ sno1: "Succeeded", sno2: "Succeeded" });
});

test("When nothing changes, registries should get one HEAD request for each image and day, and the hub no write between", async () => {
  const components = 20;
  const fleet = heldFleet({ components, windows: [aWindow("night", { schedule: "0 1 * * 6" })] });
  // Another upgrade pre-caches the same.
  const annotations = { "hubrelay.dev/require-ready": "true" };
  fleet.plan(
    aPlannedUpgrade(["sno3"], { name: "second", platformImage: fleet.mirror.platformImage, annotations }),
  );
  await fleet.finish();
  expect(fleet.readiness("second")).toContain("True ImagesReady: All 21 images");
  const before = fleet.asked.length;
  const versions = () => fleet.hub.all(kinds.ReadinessReport).map(({ metadata }) => metadata.resourceVersion);
  const written = new Set<string>();
  const days = 4;
  for (let tick = 0; tick < days * 48; tick++) {
    await fleet.checkAfter(30);
    written.add(versions().join());
  }
  const asked = fleet.asked.slice(before);
  // No layer is asked for: the name of each request is that of an image.
  expect(asked.filter((request) => !/^HEAD \S+@\S+$/.test(request))).toEqual([]);
  expect(asked.length).toBeGreaterThanOrEqual((components + 1) * (days - 1));
  expect(asked.length).toBeLessThanOrEqual((components + 1) * (days + 1));
  expect(written.size).toBeLessThanOrEqual(days + 2);
});
