import { expect, test } from "vitest";
import { kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { aMachineConfig, dropInPath } from "#shared/domain/openshift/machine-config/fixtures.ts";
import { ended } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade } from "../support/precache/precache-system.ts";
import { aWindow, pulling } from "../support/precache/precache-windows.ts";
import { aReleaseMirror, heldFleet, readyFleet } from "../support/ready/ready-fleet.ts";

const hours = 60;

test.for([
  {
    what: "all images are there",
    lost: [],
    message: "all 4 images are ready for the managed clusters",
    lateMinutes: 24 * hours + 16,
  },
  { what: "an image is missing", lost: [1], message: "1 of 4 images is missing", lateMinutes: 20 },
])("When $what, what is shown should be fresh while ticks come, and stale when they do not", async (row) => {
  const fleet = heldFleet();
  for (const index of row.lost) fleet.lose(index);
  await fleet.finish();
  for (let minutes = 0; minutes < 26 * hours; minutes += 5) {
    expect(fleet.shown()).toMatchObject({ message: row.message, stale: false });
    await fleet.checkAfter(5);
  }
  const { checked = "" } = fleet.shown() ?? {};
  fleet.pass((Date.parse(checked) - fleet.now().getTime()) / 1000 + row.lateMinutes * 60);
  expect(fleet.shown()).toMatchObject({ message: row.message, checked, stale: true });
});

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

test("When a rule of the mirrors is added, its images should be asked for at once", async () => {
  const mirror = await aReleaseMirror(2);
  const [rules] = mirror.objects;
  const fleet = readyFleet({ ...mirror, objects: mirror.objects.slice(1) });
  await fleet.finish();
  expect(fleet.works()).toEqual([]);
  if (rules) fleet.hub.put(rules);
  // The release itself could not be read; that is repeated at the next tick.
  await fleet.tickAfter(5);
  await fleet.finish();
  expect(fleet.readiness()).toContain("True ImagesReady: All 3 images");
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

test("When registries cannot be asked, clusters should wait for an answer, and nothing should be reported as lost", async () => {
  const fleet = heldFleet();
  fleet.fail(true);
  await fleet.finish();
  expect(fleet.readiness()).toContain("Unknown ImagesUnknown: ");
  expect(fleet.works()).toEqual([]);
  fleet.fail(false);
  await fleet.tickAfter(5);
  await fleet.finish();
  expect(fleet.mayRun()).toEqual(["sno1", "sno2"]);

  fleet.fail(true);
  await fleet.tickAfter(25 * hours);
  await fleet.finish();
  expect(fleet.readiness()).toContain("Unknown ImagesUnknown: 4 of 4 images could not be checked");
  fleet.fail(false);
  const before = fleet.asked.length;
  await fleet.tickAfter(5);
  await fleet.finish();
  expect(fleet.readiness()).toContain("True ImagesReady");
  expect(fleet.asked.slice(before).map((request) => request.split(" ")[0])).toEqual(Array(4).fill("HEAD"));
  expect(fleet.outcomesAboutImages()).toEqual([]);
});

test("When a mirror is garbage collected before the window, it should be noticed the day before, and no run should stop", async () => {
  const mirror = await aReleaseMirror(2);
  // From three in the afternoon until five in the morning; it is two o'clock.
  const night = aWindow("night", { schedule: "0 15 * * *", duration: "14h" });
  const fleet = readyFleet(mirror, { "hubrelay.dev/require-ready": "true" }, [night]);
  await fleet.finish();
  expect(fleet.readiness()).toContain("True ImagesReady");
  expect(fleet.mayRun()).toEqual(["sno1", "sno2"]);

  mirror.held.delete("openshift/release:part0");
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
