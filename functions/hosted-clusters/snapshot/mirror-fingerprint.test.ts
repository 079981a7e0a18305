import { describe, expect, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { hypershiftFinalizer, type World } from "../../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { aDisposedWorld, release } from "../../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
import { asNew } from "../../../test/support/hub/create-object.ts";
import { aDigestMirrorSet } from "../../../test/support/hub/objects.ts";

describe("the hosted clusters that a changed mirror affects", () => {
  const names = ["a", "b", "c"];
  const images: Readonly<Record<string, string>> = {
    a: "quay.io/openshift-release-dev/ocp-release:4.20.4-multi",
    b: "quay.io/openshift-release-dev/ocp-release:4.19.1-multi",
    c: "quay.io/openshift-release-dev/ocp-release:4.18.9-multi",
  };

  /** Three reconciled hosted clusters, the last one with catalogs of its own. */
  async function aFleet(): Promise<World> {
    const annotations = {
      "hypershift.openshift.io/olm-catalogs-is-registry-overrides": "registry.redhat.io=catalogs.example",
    };
    const clusters = names.map((name) =>
      aHostedCluster({
        name,
        metadata: { finalizers: [hypershiftFinalizer], ...(name === "c" ? { annotations } : {}) },
        spec: { release: { image: images[name] } },
      }),
    );
    const world = await aDisposedWorld([...clusters, aDigestMirrorSet("ocp", [release])]);
    for (const name of names) await world.settle(`clusters/${name}`);
    return world;
  }

  async function change({ hub }: World, name: string, rules: readonly (typeof release)[]): Promise<void> {
    const present = await hub.get(kinds.ImageDigestMirrorSet, name);
    if (present) await hub.update({ ...present, spec: { imageDigestMirrors: rules } });
    else await hub.create(asNew(aDigestMirrorSet(name, rules)));
  }

  test.for<readonly [string, (world: World) => Promise<void>, readonly string[]]>([
    ["nothing changed", async () => undefined, []],
    [
      "a mirror of unused images appears",
      (world) => change(world, "apps", [{ source: "docker.io", mirrors: ["m.example"] }]),
      [],
    ],
    [
      "a release's mirror changes",
      (world) => change(world, "ocp", [{ ...release, mirrors: ["n.corp.example/release"] }]),
      ["clusters/a", "clusters/b", "clusters/c"],
    ],
    [
      "a mirror of one cluster's catalogs appears",
      (world) => change(world, "olm", [{ source: "catalogs.example", mirrors: ["m.example/catalogs"] }]),
      ["clusters/c"],
    ],
    [
      "a mirror goes away",
      ({ hub }) => hub.delete({ ...kinds.ImageDigestMirrorSet, name: "ocp" }),
      ["clusters/a", "clusters/b", "clusters/c"],
    ],
    [
      "a rule is written in another object",
      async (world) => {
        await change(world, "again", [release]);
        await world.hub.delete({ ...kinds.ImageDigestMirrorSet, name: "ocp" });
      },
      [],
    ],
  ])("When %s, it should reconcile exactly those", async ([, edit, affected]) => {
    const world = await aFleet();
    await edit(world);
    expect(await world.affected()).toEqual(affected);
    for (const key of affected) await world.settle(key);
    expect(await world.affected()).toEqual([]);
  });
});
