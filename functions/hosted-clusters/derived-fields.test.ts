import { describe, expect, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import {
  catalogTags,
  hypershiftFinalizer,
  olmMirror,
  type World,
} from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { ownWorld, verifyWorld } from "../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
import { asNew } from "../../test/support/hub/create-object.ts";
import { aDigestMirrorSet } from "../../test/support/hub/objects.ts";

describe("catalogs derived from mirrors", () => {
  const derived = { annotations: { "hubrelay.dev/olm-catalogs": "from-mirrors" } };
  const mirrors = [aDigestMirrorSet("olm", [{ source: "registry.redhat.io/redhat", mirrors: [olmMirror] }])];
  const annotationsOf = async ({ hub }: World) =>
    (await hub.get(kinds.HostedCluster, "shop", "clusters"))?.metadata.annotations ?? {};
  const fill = ({ tags }: World, digit: number, tag = "v4.20") => {
    for (const [image, digest] of Object.entries(catalogTags(olmMirror, tag, digit))) tags.set(image, digest);
  };
  const types = ({ outcomes }: World) =>
    outcomes.map(({ type }) => type.replace("dev.hubrelay.hosted-clusters.", ""));

  test("When the mirror is refreshed, it should change all annotations at once, and report that", async () => {
    const world = await ownWorld(aHostedCluster({ metadata: derived }), mirrors);
    fill(world, 1);
    await world.settle("clusters/shop");
    expect(await annotationsOf(world)).toMatchObject({
      "hypershift.openshift.io/olm-catalogs-is-registry-overrides": `registry.redhat.io/redhat=${olmMirror}`,
      "hypershift.openshift.io/redhat-operators-catalog-image": `${olmMirror}/redhat-operator-index@sha256:${"13".repeat(32)}`,
    });
    const before = types(world).length;
    fill(world, 2);
    await world.settle("clusters/shop");
    expect(types(world).slice(before)).toEqual(["changing"]);
    const changed = world.outcomes.find(({ type }, index) => index >= before && type.endsWith(".changing"));
    expect(Object(changed?.data.from).catalogs).toMatchObject({
      "hypershift.openshift.io/redhat-operators-catalog-image": expect.stringContaining("13".repeat(32)),
    });
    expect((await world.settle("clusters/shop")).actions).toEqual([]);
  });
});

describe("catalogs under HyperShift", () => {
  test("When a user delegates the catalogs to it, it should write only them", async () => {
    const world = await verifyWorld({
      hostedCluster: aHostedCluster({
        metadata: {
          finalizers: [hypershiftFinalizer],
          annotations: { "hubrelay.dev/olm-catalogs": "from-mirrors" },
        },
      }),
    });
    await world.hub.create(
      asNew(
        aDigestMirrorSet("olm", [{ source: "registry.redhat.io", mirrors: ["mirror.corp.example:5000"] }]),
      ),
    );
    const stored = catalogTags(olmMirror.replace("/olm", "/redhat"), "v4.20", 1);
    for (const [image, digest] of Object.entries(stored)) world.tags.set(image, digest);
    await world.settle("clusters/shop");
    expect(world.outcomes.map(({ type }) => type)).toEqual(["dev.hubrelay.hosted-clusters.changing"]);
    const controlPlane = await world.hub.get(kinds.HostedControlPlane, "shop", "clusters-shop");
    expect(controlPlane?.metadata.annotations).toEqual({
      "hypershift.openshift.io/cluster": "clusters/shop",
    });
  });
});
