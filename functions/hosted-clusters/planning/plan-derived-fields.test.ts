import { describe, expect, test } from "vitest";
import { olmMirror } from "../../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import {
  annotated,
  aSettled,
  aSnapshot,
  foundIn,
  settled,
  testOwned,
} from "../../../test/support/hosted-clusters/hosted-cluster-snapshots.ts";
import { outcomesOf } from "../../../test/support/messages/outcomes-of.ts";
import { decide } from "../decide.ts";

const fromMirrors = { "hubrelay.dev/olm-catalogs": "from-mirrors" };

testOwned("fields that a user delegated", [
  {
    name: "When a user delegates the catalogs, it should write their annotations first",
    snapshot: () =>
      aSettled({ hostedCluster: annotated({ ...fromMirrors, own: "x" }), findings: foundIn(olmMirror) }),
    report: [
      "shop derived fields update: the catalogs are restarted with other images",
      "shop unchanged: handed over by the annotation hubrelay.dev/take-over",
      "update HostedCluster shop: the catalogs are restarted with other images",
      "outcome changing",
      "again",
    ],
  },
  {
    name: "When the delegation is not a valid value, it should report that and write none",
    snapshot: () => aSettled({ hostedCluster: annotated({ "hubrelay.dev/olm-catalogs": "yes" }) }),
    report: [
      "shop unchanged: handed over by the annotation hubrelay.dev/take-over",
      'create Event Warning InvalidAnnotation: metadata.annotations["hubrelay.dev/olm-catalogs"]: hubrelay.dev/olm-catalogs is yes, which is not a valid value. Write from-mirrors, or remove the annotation.',
      "outcome refused",
    ],
  },
  {
    name: "When not every catalog is in the mirror, it should change none and say why",
    snapshot: () =>
      aSettled({
        hostedCluster: annotated(fromMirrors),
        findings: { state: "incomplete", messages: ["a is missing", "b is missing"] },
      }),
    report: [
      "shop unchanged: handed over by the annotation hubrelay.dev/take-over",
      'create Event Warning CatalogsNotFound: metadata.annotations["hubrelay.dev/olm-catalogs"]: Not every catalog was found, and a control plane of 4.20 refuses an incomplete set, so none is changed: a is missing; b is missing. Mirror certified-operator-index, community-operator-index, redhat-marketplace-index, redhat-operator-index, and check that the registry responds.',
    ],
  },
]);

describe("delegated fields, step by step", () => {
  test("When catalogs are delegated, only their annotations should change, and those that are no longer derived go", () => {
    const old = { "hypershift.openshift.io/olm-catalogs-is-registry-overrides": "a=b", own: "x" };
    const hub = aSnapshot({
      hostedCluster: annotated({ ...fromMirrors, ...old }),
      findings: foundIn(olmMirror),
    });
    const [write] = decide(hub).actions;
    expect(Object.keys(write?.object.metadata.annotations ?? {}).toSorted()).toEqual([
      "hubrelay.dev/olm-catalogs",
      "hubrelay.dev/outcomes",
      "hubrelay.dev/take-over",
      "hypershift.openshift.io/certified-operators-catalog-image",
      "hypershift.openshift.io/community-operators-catalog-image",
      "hypershift.openshift.io/olm-catalogs-is-registry-overrides",
      "hypershift.openshift.io/redhat-marketplace-catalog-image",
      "hypershift.openshift.io/redhat-operators-catalog-image",
      "own",
    ]);
    expect(write?.object.spec).toEqual(hub.hostedCluster?.spec);
    expect(outcomesOf(decide(hub))[0]?.data.from).toEqual({
      catalogs: { "hypershift.openshift.io/olm-catalogs-is-registry-overrides": "a=b" },
    });
    const delegated = aSnapshot({ hostedCluster: annotated(fromMirrors), findings: foundIn(olmMirror) });
    expect(decide(delegated).again).toBe(true);
    expect(decide(settled(delegated)).decisions[0]).toMatchObject({ verdict: "unchanged" });
  });
});
