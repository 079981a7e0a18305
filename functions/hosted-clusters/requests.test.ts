import { afterEach, describe, expect, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { type Access, accessText } from "#shared/domain/kubernetes/access.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import {
  aControlPlaneOperator,
  aHostedControlPlane,
  aWorld,
  hypershiftFinalizer,
  type World,
} from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { aDigestMirrorSet } from "../../test/support/hub/objects.ts";
import { recordedHub } from "../../test/support/hub/recorded-hub.ts";
import { hostedClusters } from "./controller.ts";

const fleet = 50;
const release = [
  { source: "quay.io/openshift-release-dev/ocp-release", mirrors: ["m.corp.example/ocp/release"] },
];
const ownCatalogs = "hypershift.openshift.io/olm-catalogs-is-registry-overrides";

/** The fleet under HyperShift; one hosted cluster has catalogs of its own, which have a mirror. */
async function aFleet(): Promise<World> {
  const names = Array.from({ length: fleet }, (_, index) => `c${index}`);
  const clusters = names.map((name, index) =>
    aHostedCluster({
      name,
      metadata: {
        finalizers: [hypershiftFinalizer],
        ...(index === 7 ? { annotations: { [ownCatalogs]: "registry.redhat.io=catalogs.example" } } : {}),
      },
    }),
  );
  return aWorld([
    ...clusters,
    aHostedControlPlane("c7"),
    aControlPlaneOperator("c7", "="),
    aDigestMirrorSet("ocp", release),
    aDigestMirrorSet("olm", [{ source: "catalogs.example", mirrors: ["m1.example/catalogs"] }]),
  ]);
}

let world: World | undefined;
afterEach(() => world?.close());

describe(`${fleet} hosted clusters`, () => {
  test("When a mirror that affects one of them changes, it should cost nine lists and that cluster's requests", async () => {
    world = await aFleet();
    const { ports, affected } = world;
    const accesses: Access[] = [];
    const hub = recordedHub(ports.hub, (access) => accesses.push(access));
    const follow = (key: string) => reconcile(hostedClusters, key, { ...ports, hub });
    const unknown = await affected();
    expect(unknown).toHaveLength(fleet); // none has been reconciled yet
    // The Events of all others, as their own reconciles leave them.
    for (const key of unknown) await follow(key);
    accesses.length = 0;

    const olm = (await world.hub.list(kinds.ImageDigestMirrorSet)).find(
      ({ metadata }) => metadata.name === "olm",
    );
    if (!olm) throw new Error("the mirror set of this test is gone");
    const rules = [{ source: "catalogs.example", mirrors: ["m2.example/catalogs"] }];
    await world.hub.update({ ...olm, spec: { imageDigestMirrors: rules } });
    const changed = await affected(hub);
    expect(accesses.map(accessText)).toEqual([
      "list core events",
      "list hypershift.openshift.io hostedclusters",
      "list config.openshift.io imagedigestmirrorsets",
      "list config.openshift.io imagetagmirrorsets",
      "list operator.openshift.io imagecontentsourcepolicies",
      "list config.openshift.io imagesourcedigestpolicies",
      "list config.openshift.io imagesourcetagpolicies",
      "list operator.openshift.io imagesourcedigestpolicies",
      "list operator.openshift.io imagesourcetagpolicies",
    ]);
    expect(changed).toEqual(["clusters/c7"]);

    accesses.length = 0;
    await follow("clusters/c7");
    const reads = accesses.filter(({ verb }) => ["get", "list"].includes(verb));
    expect(reads.length).toBeLessThanOrEqual(16);
    expect(
      accesses.filter((access) => !reads.includes(access)).every(({ resource }) => resource === "events"),
    ).toBe(true);
  });
});
