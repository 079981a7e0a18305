import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { anImageDigestMirrorSet } from "#shared/domain/mirrors/fixtures.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { aFleet, snapshotOf } from "../../test/support/console/console-snapshots.ts";
import { aReadinessReport } from "../../test/support/ready/readiness-reports.ts";
import { readyView } from "./ready-view.ts";

const digest = `sha256:${"a".repeat(64)}`;
const at = "2026-03-01T02:28:00Z";
const rules = anImageDigestMirrorSet("acme", [
  { source: "quay.io/acme", mirrors: ["one.lab/acme", "two.lab/acme"] },
]);
const image = (name: string) => `quay.io/${name}@${digest}`;

type Statuses = Parameters<typeof aReadinessReport>[1];

/** An upgrade, with the report about its images if there is one. */
function anUpgrade(name: string, statuses?: Statuses): readonly KubernetesObject[] {
  const [cgu] = aFleet({ "sno-1": undefined, "sno-2": undefined }, { name });
  if (!cgu) return [];
  return [cgu, ...(statuses ? [aReadinessReport(cgu, statuses, at)] : [])];
}
const view = (objects: readonly KubernetesObject[], query: Parameters<typeof readyView>[1] = {}) =>
  readyView(snapshotOf([rules, ...objects]), query);

describe("readyView", () => {
  test("When images are missing, they should be by the locations in which nodes look", () => {
    const statuses: Statuses = {
      [image("acme/app")]: "missing",
      [image("acme/web")]: "missing",
      [image("acme/old/app")]: "unreachable",
      [image("other/app")]: "missing",
      [image("acme/fine")]: "ready",
    };
    const [upgrade] = view(anUpgrade("night", statuses)).upgrades;
    expect(upgrade).toMatchObject({ key: "default/night", state: "not ready", clusters: 2 });
    const found = upgrade?.lacking.map(({ places, images }) => [
      places.map(({ location }) => location).join(" "),
      images.length,
    ]);
    expect(found).toEqual([
      ["one.lab/acme two.lab/acme quay.io/acme", 3],
      ["quay.io/other/app", 1],
    ]);
    expect(upgrade?.lacking[0]?.places.map(({ isMirror }) => isMirror)).toEqual([true, true, false]);
  });

  test("When upgrades differ, those that lack images should be first, and a state should leave its own", () => {
    const objects = [
      ...anUpgrade("a", { [image("acme/app")]: "ready" }),
      ...anUpgrade("b"),
      ...anUpgrade("c", { [image("acme/app")]: undefined }),
      ...anUpgrade("d", { [image("acme/app")]: "missing" }),
    ];
    const { upgrades, counts, total } = view(objects);
    expect(upgrades.map(({ key, state }) => [key, state])).toEqual([
      ["default/d", "not ready"],
      ["default/c", "unknown"],
      ["default/a", "ready"],
      ["default/b", "not checked"],
    ]);
    expect(counts.map(({ count }) => count)).toEqual([1, 1, 1, 1]);
    expect([total, view(objects, { state: "ready" }).upgrades.map(({ key }) => key)]).toEqual([
      4,
      ["default/a"],
    ]);
    expect(view(objects, { state: "nonsense" }).upgrades).toHaveLength(4);
  });

  test("When a window restricts an upgrade, its next opening should be known", () => {
    const night = windowObject({ timeZone: "UTC", clusterSelector: {} });
    expect(view([...anUpgrade("night"), night]).upgrades[0]?.opens).toBeInstanceOf(Date);
    expect(view(anUpgrade("night")).upgrades[0]?.opens).toBeUndefined();
  });
});
