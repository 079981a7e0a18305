import { expect, test } from "vitest";
import { readMachineConfigFiles } from "#shared/domain/machine-config/machine-config.ts";
import {
  blocked,
  type Case,
  contradicting,
  decideAsReported,
  ownMachineConfig,
  worker,
} from "../../test/support/hub/mirror-config-cases.ts";
import {
  afterwards,
  aHub,
  foreignMachineConfig,
  idlePolicy,
  mcoAnnotation,
  release,
  storage,
  written,
} from "../../test/support/hub/mirror-config-hub.ts";
import { aDigestMirrorSet, anImageConfig, aPool } from "../../test/support/hub/objects.ts";
import { outcomesOf } from "../../test/support/messages/outcomes-of.ts";
import { decide } from "./decide.ts";

const misspelt = { mirrorSourcePolcy: "NeverContactSource" };
const cases: readonly Case[] = [
  {
    name: "When there is no pool, it should say that nothing is written",
    hub: aHub({ pools: [] }),
    report: [
      "MachineConfigs not needed: the hub has no built-in MachineConfigPool, as when its own control plane is hosted",
    ],
  },
  {
    name: "When pools of built-in names lack the label, it should say that they are not compared",
    hub: aHub({ pools: [], customPools: [aPool("worker", { labels: {} }), aPool("infra", { labels: {} })] }),
    report: [
      "99-worker-generated-registries not compared: MachineConfigPool/worker has no label machineconfiguration.openshift.io/mco-built-in, so hubrelay does not know it as a built-in pool. Fix: Keep the labels of the hub's pool.",
    ],
  },
  {
    name: "When objects have misspelt fields, they should hold, refuse and leave out nothing",
    hub: aHub({
      pools: worker,
      mirrorObjects: [
        {
          ...aDigestMirrorSet("release", [
            {
              source: "quay.io/openshift-release-dev/ocp-release",
              mirrors: ["registry.hub.example.com:8443/release"],
              ...misspelt,
            },
          ]),
          sepc: {},
        },
      ],
      image: { ...anImageConfig({ blockedRegistris: ["quay.io"] }), spce: {} },
    }),
    report: [
      "99-worker-generated-registries (hubrelay) create: 1 rule; a node's cost: reload. None of its changes affects running containers.",
      "  /etc/containers/registries.conf added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      "create MachineConfig 99-worker-generated-registries: 1 rule",
      "create Event Warning UnknownField: spce: Image has no such field here: oc and kubectl refuse it, and other clients drop it. Did you mean spec?",
      "create Event Warning UnknownField: spec.registrySources.blockedRegistris: Image has no such field here: oc and kubectl refuse it, and other clients drop it. Did you mean blockedRegistries?",
      "create Event Warning UnknownField: sepc: ImageDigestMirrorSet has no such field here: oc and kubectl refuse it, and other clients drop it. Did you mean spec?",
      "create Event Warning UnknownField: spec.imageDigestMirrors[0].mirrorSourcePolcy: ImageDigestMirrorSet has no such field here: oc and kubectl refuse it, and other clients drop it. Did you mean mirrorSourcePolicy?",
      "outcome rendered 99-worker-generated-registries",
    ],
  },
  {
    name: "When there is no pool, it should report the errors of every object all the same",
    hub: aHub({ pools: [], mirrorObjects: [release, storage, idlePolicy], image: blocked }),
    report: [
      "MachineConfigs not needed: the hub has no built-in MachineConfigPool, as when its own control plane is hosted",
      'create Event Warning InvalidSource: spec.imageDigestMirrors[0].source: invalid format for source "quay.io/acme/csi:v1". Remove the tag; a source is host[:port][/path] in lower case, or *.domain, without scheme, tag or digest.',
      "outcome refused cluster",
    ],
  },
  {
    name: "When a rule is refused in own mode, it should render the rest and create an Event for the owner of the rule",
    hub: aHub({ pools: worker, mirrorObjects: [release, storage] }),
    report: [
      "99-worker-generated-registries (hubrelay) create: 1 rule, 1 left out; a node's cost: reload. None of its changes affects running containers.",
      "  /etc/containers/registries.conf added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      "create MachineConfig 99-worker-generated-registries: 1 rule, 1 left out",
      'create Event Warning InvalidSource: spec.imageDigestMirrors[0].source: invalid format for source "quay.io/acme/csi:v1". Remove the tag; a source is host[:port][/path] in lower case, or *.domain, without scheme, tag or digest.',
      "outcome rendered 99-worker-generated-registries",
    ],
  },
  {
    name: "When a source has contradicting rules, it should keep the mirrors that the nodes have",
    hub: aHub({
      pools: worker,
      machineConfigs: [ownMachineConfig({}, [contradicting("NeverContactSource")])],
      mirrorObjects: [contradicting("NeverContactSource"), contradicting("AllowContactingSource")],
    }),
    report: [
      "99-worker-generated-registries (hubrelay) unchanged: its content matches the mirror objects; 0 rules, 2 left out",
      'create Event Warning ConflictingMirrorSourcePolicy: spec.imageDigestMirrors[0].mirrorSourcePolicy: conflicting mirrorSourcePolicy is set for the same source "quay.io/acme" in imagedigestmirrorsets, imagetagmirrorsets, or imagecontentsourcepolicies; what is left out opens nothing: "quay.io/acme" stays blocked. Give every rule of this source one mirrorSourcePolicy: it is AllowContactingSource here and NeverContactSource in ImageDigestMirrorSet/nevercontactsource spec.imageDigestMirrors[0].',
      'create Event Warning ConflictingMirrorSourcePolicy: spec.imageDigestMirrors[0].mirrorSourcePolicy: conflicting mirrorSourcePolicy is set for the same source "quay.io/acme" in imagedigestmirrorsets, imagetagmirrorsets, or imagecontentsourcepolicies; what is left out opens nothing: "quay.io/acme" stays blocked. Give every rule of this source one mirrorSourcePolicy: it is NeverContactSource here and AllowContactingSource in ImageDigestMirrorSet/allowcontactingsource spec.imageDigestMirrors[0].',
      "outcome refused cluster",
    ],
  },
  {
    name: "When a mirror of a source that must not be contacted becomes invalid, it should change nothing",
    hub: aHub({
      pools: worker,
      machineConfigs: [ownMachineConfig({}, [release, contradicting("NeverContactSource")])],
      mirrorObjects: [
        release,
        aDigestMirrorSet("acme", [
          { source: "quay.io/acme", mirrors: ["m.example/Acme"], mirrorSourcePolicy: "NeverContactSource" },
        ]),
      ],
    }),
    report: [
      "99-worker-generated-registries (hubrelay) unchanged: its content matches the mirror objects; 1 rule, 1 left out",
      'create Event Warning InvalidMirror: spec.imageDigestMirrors[0].mirrors[0]: invalid format for mirror "m.example/Acme"; what is left out opens nothing: "quay.io/acme" stays blocked. Write the path in lower case; a mirror is host[:port][/path] in lower case, without scheme, wildcard, tag or digest.',
      "outcome refused cluster",
    ],
  },
];

decideAsReported(cases);

test("When the rules of a source contradict each other, every pool should keep the mirrors of its own applied file", () => {
  const mirror = (name: string) => `${name}.example.com/acme`;
  const applied = (pool: string, mirrors: string[]) =>
    aHub({
      pools: [aPool(pool)],
      mirrorObjects: [aDigestMirrorSet("acme", [{ source: "quay.io/acme", mirrors }])],
    });
  const hubs = [applied("master", [mirror("old")]), applied("worker", [mirror("new")])];
  const contradicting = ["AllowContactingSource", "NeverContactSource"].map((mirrorSourcePolicy, index) =>
    aDigestMirrorSet(`acme-${index}`, [
      { source: "quay.io/acme", mirrors: [mirror("new")], mirrorSourcePolicy },
    ]),
  );
  const plan = decide(
    aHub({
      machineConfigs: hubs.flatMap((hub) => afterwards(hub, decide(hub)).machineConfigs),
      mirrorObjects: [...contradicting, release],
    }),
  );
  const rendered = plan.actions
    .filter(({ object }) => object.kind === "MachineConfig")
    .map(({ object }) =>
      readMachineConfigFiles(object).map(({ contents }) => contents.match(/\w+(?=\.example\.com\/acme)/g)),
    );
  expect(rendered).toEqual([[["old"]], [["new"]]]);
});

test("When an error is fixed, it should delete its Event", () => {
  const hub = aHub({ mirrorObjects: [storage] });
  const before = afterwards(hub, decide(hub));
  expect(before.objectEvents).toHaveLength(1);
  const plan = decide({ ...before, mirrorObjects: [release] });
  expect(written(plan)).toContain("delete Event InvalidSource");
});

test("When an error survives an edit of its object, it should increment the Event's count", () => {
  const hub = aHub({ mirrorObjects: [storage] });
  const before = afterwards(hub, decide(hub));
  const edited = { ...storage, metadata: { ...storage.metadata, generation: 2 } };
  const [action] = decide({ ...before, mirrorObjects: [edited] }).actions;
  expect(action).toMatchObject({ verb: "update", object: { kind: "Event", count: 2 } });
});

test("When a refused rule is changed and refused again, that should be another outcome", () => {
  const hub = aHub({
    pools: worker,
    machineConfigs: [foreignMachineConfig(mcoAnnotation)],
    mirrorObjects: [storage],
  });
  const first = decide(hub);
  const edited = { ...storage, metadata: { ...storage.metadata, generation: 2 } };
  const second = decide({ ...afterwards(hub, first), mirrorObjects: [edited] });
  expect(outcomesOf(second)).toMatchObject([
    { type: "dev.hubrelay.mirror-config.refused", subject: "cluster" },
  ]);
  expect(outcomesOf(second)[0]?.id).not.toBe(outcomesOf(first)[0]?.id);
});
