import { describe, expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { annotated, base, planningHub } from "../../test/support/precache/precache-plan-hub.ts";
import {
  aClusterInfo,
  anUpgrade,
  aPolicy,
  aWantedRelease,
  copiesOf,
  releaseImage,
} from "../../test/support/precache/precache-plan-objects.ts";

const world = planningHub();
const { given, cgu, settle } = world;

describe("planning on a hub without TALM", () => {
  test.for([
    { what: "names", clusters: { clusters: ["sno1", "sno2"] } },
    { what: "labels", clusters: { clusters: undefined, clusterLabelSelectors: [{}] } },
  ])(
    "When clusters are selected by $what, those with several nodes should be left out",
    async ({ clusters }) => {
      await given(...base, aClusterInfo("sno1", 1), aClusterInfo("sno2", 3), anUpgrade(clusters));
      await settle();
      expect(Object((await cgu()).status).precaching.clusters).toEqual(["sno1"]);
    },
  );

  test("When the hub resolves the templates of a policy in its copies, the release should be theirs", async () => {
    const withImage = (image: string) => aPolicy("platform", [aWantedRelease({ desiredUpdate: { image } })]);
    const copies = copiesOf(withImage(releaseImage), ["sno1", "sno2"]);
    const others = base.filter(({ kind }) => kind !== "Policy");
    await given(
      ...others,
      withImage('{{hub index .ManagedClusterLabels "image" hub}}'),
      ...copies,
      anUpgrade(),
    );
    await settle();
    expect((await cgu()).status).toMatchObject({ precaching: { spec: { platformImage: releaseImage } } });
  });
});

test("When annotations name a missing window and invalid limits, it should be reported on the object until they are fixed", async () => {
  const annotations = {
    ...annotated,
    "hubrelay.dev/maintenance-window": "night",
    "hubrelay.dev/max-per-registry": "quay.io",
    "hubrelay.dev/bandwidth": "fast",
    "hubrelay.dev/parallel-pulls": "all",
  };
  await given(...base, anUpgrade({}, { annotations }));
  await settle();
  const reported = async () =>
    (await world.hub.list(kinds.Event))
      .map(({ reason }) => reason)
      .filter((reason) => reason !== "HubVersionUnknown")
      .sort();
  expect(await reported()).toEqual(["InvalidBandwidth", "InvalidLimit", "InvalidLimit", "WindowMissing"]);

  const { apiVersion, kind } = kinds.MaintenanceWindow;
  const spec = { schedule: "0 2 * * *", timeZone: "UTC", duration: "2h" };
  const window = { apiVersion, kind, metadata: { namespace: "ztp", name: "night" } };
  const broken = await world.hub.create({ ...window, spec: { ...spec, duration: "0h" } });
  await settle();
  expect(await reported()).toContain("WindowUnusable");
  await world.hub.update({ ...broken, spec });
  await settle();
  expect(await reported()).toEqual(["InvalidBandwidth", "InvalidLimit", "InvalidLimit"]);
});
