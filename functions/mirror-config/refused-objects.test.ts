import { expect, test } from "vitest";
import {
  blocked,
  type Case,
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
      "create Event Warning PolicyScopeBlocked: spec.scopes[0]: clusterimagePolicy configured for the scope quay.io/acme is nested inside blockedRegistries. Remove the scope that contains it from spec.registrySources.blockedRegistries of Image/cluster, or remove it here.",
      'create Event Warning InvalidSource: spec.imageDigestMirrors[0].source: invalid format for source "quay.io/acme/csi:v1". Remove the tag; a source is host[:port][/path] in lower case, or *.domain, without scheme, tag or digest.',
      "outcome refused cluster",
    ],
  },
  {
    name: "When a rule is refused in own mode, it should write nothing but an Event for the owner of the rule",
    hub: aHub({ pools: worker, machineConfigs: [ownMachineConfig()], mirrorObjects: [storage] }),
    report: [
      "99-worker-generated-registries (hubrelay) refused: the configuration has errors, so nothing of it is written; the nodes keep the last one",
      'create Event Warning InvalidSource: spec.imageDigestMirrors[0].source: invalid format for source "quay.io/acme/csi:v1". Remove the tag; a source is host[:port][/path] in lower case, or *.domain, without scheme, tag or digest.',
      "outcome refused cluster",
    ],
  },
  {
    name: "When only the API server would refuse a rule in own mode, it should write nothing either",
    hub: aHub({
      pools: worker,
      mirrorObjects: [
        aDigestMirrorSet("twice", [{ source: "quay.io/acme", mirrors: ["m.example", "m.example"] }]),
      ],
    }),
    report: [
      "99-worker-generated-registries (hubrelay) refused: the configuration has errors, so nothing of it is written; the nodes keep the last one",
      'create Event Warning DuplicateMirror: spec.imageDigestMirrors[0].mirrors[1]: mirror "m.example" is listed twice; the API server refuses the object. Remove this repetition.',
      "outcome refused cluster",
    ],
  },
];

decideAsReported(cases);

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
