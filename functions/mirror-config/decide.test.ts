import { hash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { policies } from "#shared/domain/diff/node-cost/fixtures.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import {
  acme,
  blocked,
  builtIn,
  type Case,
  contradicting,
  ownMachineConfig,
  reportOf,
  verifiedWorker,
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
  verdicts,
  written,
} from "../../test/support/hub/mirror-config-hub.ts";
import { aDigestMirrorSet, anImageConfig, aPool, aVerifiedPool } from "../../test/support/hub/objects.ts";
import { outcomesOf } from "../../test/support/messages/outcomes-of.ts";
import { decide } from "./decide.ts";

const ofOperator = foreignMachineConfig(mcoAnnotation);
const owned = { pools: worker, machineConfigs: [ownMachineConfig()] };
const verified = { pools: verifiedWorker, machineConfigs: [ofOperator] };
const grace = "requeue 2026-03-01T02:01:30.000Z";
const waiting = "create Event WaitingForClusterConfiguration";
const rendered = "outcome rendered worker";
const refusedCluster = "outcome refused cluster";
const scopeBlocked = "create Event PolicyScopeBlocked";
const relabelled = 'update worker: 1 rule; changes metadata.labels["machineconfiguration.openshift.io/role"]';

const owning: readonly Case[] = [
  [
    "When no MachineConfig exists, it should create one per built-in pool",
    aHub(),
    [
      ...["master", "worker"].map((pool) => `${pool} create by hubrelay`),
      ...["master", "worker"].map((pool) => `create ${pool}: 1 rule`),
      ...["master", "worker"].map((pool) => `outcome rendered ${pool}`),
    ],
  ],
  ...[{ image: undefined }, { clusterVersion: undefined }].flatMap((absent): readonly Case[] => {
    const name = Object.keys(absent).join();
    return [
      [
        `When the ${name} is missing, it should write no MachineConfig and report that on the pool`,
        aHub({ pools: worker, ...absent }),
        ["worker waiting by hubrelay", waiting],
      ],
      [
        `When the ${name} is missing, it should report the errors of mirror objects all the same`,
        aHub({ pools: worker, mirrorObjects: [release, storage], ...absent }),
        ["worker waiting by hubrelay", "create Event InvalidSource", waiting, refusedCluster],
      ],
    ];
  }),
  ["When its content is right, nothing should change", aHub(owned), ["worker unchanged by hubrelay"]],
  ...[[], [{ apiVersion: "v1", kind: "Image", name: "cluster", uid: "old" }]].map(
    (ownerReferences): Case => [
      `When ${ownerReferences.length} owner is another than the Image, it should write it again`,
      aHub({ pools: worker, machineConfigs: [ownMachineConfig({ ownerReferences })] }),
      ["worker update by hubrelay", "update worker: 1 rule; changes metadata.ownerReferences", rendered],
    ],
  ),
  [
    "When the label of its role is lost, nodes have lost its files, and it should write it again",
    aHub({ pools: worker, machineConfigs: [ownMachineConfig({ labels: {} })] }),
    ["worker update by hubrelay", relabelled, rendered],
  ],
  [
    "When nothing has a uid, as in files, it should not compare it",
    aHub({ ...owned, image: { ...anImageConfig(), metadata: { name: "cluster" } } }),
    ["worker unchanged by hubrelay"],
  ],
];

const limited = (maxCost: string, changes: Partial<Parameters<typeof aHub>[0]> = {}) =>
  aHub({
    pools: [aPool("worker", { annotations: { "hubrelay.dev/max-cost": maxCost }, labels: builtIn })],
    machineConfigs: [ownMachineConfig()],
    mirrorObjects: [release, acme("m.example")],
    ...changes,
  });
const withTopology = (controlPlaneTopology: unknown): KubernetesObject => ({
  apiVersion: "config.openshift.io/v1",
  kind: "Infrastructure",
  metadata: { name: "cluster" },
  status: { controlPlaneTopology },
});
const held = ["worker held by hubrelay", "create Event ChangeHeld", "outcome held worker"];
const updated = ["worker update by hubrelay", "update worker: 2 rules; changes spec.config", rendered];
const reboot = policies({ path: "/etc/containers/registries.conf", actions: [{ type: "Reboot" }] });

const byCost: readonly Case[] = [
  [
    "When the label of its role is lost and the pool allows no cost, it should hold the change",
    limited("none", { machineConfigs: [ownMachineConfig({ labels: {} })], mirrorObjects: [release] }),
    held,
  ],
  ["When a change costs more than the pool allows, it should hold it", limited("none"), held],
  ["When the pool allows the cost, it should write the change", limited("drain"), updated],
  [
    "When nodes of a single-node cluster change, nothing should be drained",
    limited("reload", { infrastructure: withTopology("SingleReplica") }),
    updated,
  ],
  [
    "When the topology is not text, it should not count",
    limited("reload", { infrastructure: withTopology(["SingleReplica"]) }),
    held,
  ],
  ["When a policy costs more, it should hold it", limited("drain", { machineConfiguration: reboot }), held],
];

const agreed = "worker in agreement by machine-config-operator";
const expected = (pool: string) => ["create Event MachineConfigExpected", `outcome expected ${pool}`, grace];

const verifying: readonly Case[] = [
  [
    "When another writer's hub lacks the Image object, it should report that too",
    aHub({ ...verified, image: undefined }),
    ["worker waiting by machine-config-operator", waiting],
  ],
  [
    "When machine-config-operator's has lost the label of its role, it should expect it back",
    aHub({ ...verified, machineConfigs: [ownMachineConfig({ labels: {}, annotations: mcoAnnotation })] }),
    ["worker expected by machine-config-operator", ...expected("worker")],
  ],
  [
    "When machine-config-operator wrote the right content, it should change nothing",
    aHub(verified),
    [agreed],
  ],
  [
    "When machine-config-operator generates one pool's, it should not write another pool's either",
    aHub({ ...verified, pools: [aVerifiedPool("master"), ...verifiedWorker] }),
    ["master expected by machine-config-operator", agreed, ...expected("master")],
  ],
  [
    "When machine-config-operator refuses a rule, it should create an Event for the rule's owner and compare nothing",
    aHub({ ...verified, mirrorObjects: [release, storage] }),
    ["worker refused by machine-config-operator", "create Event InvalidSource", refusedCluster],
  ],
  [
    "When a take-over is requested while machine-config-operator runs, it should refuse it on the pool",
    aHub({ ...verified, pools: worker }),
    [agreed, "create Event TakeOverRefused", refusedCluster],
  ],
  [
    "When an unknown writer wrote the MachineConfig, it should only compare",
    aHub({ pools: verifiedWorker, machineConfigs: [foreignMachineConfig({}, [])] }),
    ["worker expected by unknown", ...expected("worker")],
  ],
  [
    "When there is no MachineConfig and nobody asked hubrelay to write it, it should expect one",
    aHub({ pools: verifiedWorker }),
    ["worker expected by unknown", ...expected("worker")],
  ],
  [
    "When a MachineConfig has no annotations, its writer should be unknown",
    aHub({ pools: verifiedWorker, machineConfigs: [ownMachineConfig({ annotations: undefined })] }),
    ["worker in agreement by unknown"],
  ],
  [
    "When an unknown writer wrote it and the pool hands it over, it should write it",
    aHub({ pools: worker, machineConfigs: [foreignMachineConfig({}, [])] }),
    [
      "worker update by hubrelay",
      'update worker: 1 rule; changes metadata.annotations["hubrelay.dev/owned-by"], spec.config',
      rendered,
    ],
  ],
];

const unknownField = "create Event UnknownField";
const misspelt = {
  ...aDigestMirrorSet("release", [
    {
      source: "quay.io/openshift-release-dev/ocp-release",
      mirrors: ["registry.hub.example.com:8443/release"],
      ...{ mirrorSourcePolcy: "NeverContactSource" },
    },
  ]),
  sepc: {},
};
const twice = aDigestMirrorSet("twice", [{ source: "quay.io/acme", mirrors: ["m.example", "m.example"] }]);
const refused = "worker refused by hubrelay";
const failed = (status: string): KubernetesObject => ({
  ...idlePolicy,
  status: { conditions: [{ type: "Failed", status, reason: "X", message: "x", observedGeneration: 1 }] },
});
const elsewhere = (object: KubernetesObject, metadata: object) => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
  spec: { ...Object(object.spec), scopes: ["quay.io/other"] },
});
const isFailed = (name: string) =>
  `update-status ${name.split("/").slice(1).join("/")}: Failed is True: PolicyScopeBlocked`;
const isResolved = (name: string) =>
  `update-status ${name.split("/").slice(1).join("/")}: Failed is False: Resolved`;

const refusing: readonly Case[] = [
  ["When there is no pool, nothing should be written", aHub({ pools: [] }), ["MachineConfigs not needed"]],
  [
    "When pools of built-in names lack the label, it should say that they are not compared",
    aHub({ pools: [], customPools: [aPool("worker", { labels: {} }), aPool("infra", { labels: {} })] }),
    ["worker not compared"],
  ],
  [
    "When objects have misspelt fields, they should hold, refuse and leave out nothing",
    aHub({
      pools: worker,
      mirrorObjects: [misspelt],
      image: { ...anImageConfig({ blockedRegistris: ["quay.io"] }), spce: {} },
    }),
    ["worker create by hubrelay", "create worker: 1 rule", ...Array(4).fill(unknownField), rendered],
  ],
  [
    "When there is no pool, it should report the errors of every object all the same",
    aHub({ pools: [], mirrorObjects: [release, storage, idlePolicy], image: blocked }),
    ["MachineConfigs not needed", scopeBlocked, "create Event InvalidSource", refusedCluster],
  ],
  [
    "When a rule is refused in own mode, it should write nothing but an Event for the owner of the rule",
    aHub({ ...owned, mirrorObjects: [storage] }),
    [refused, "create Event InvalidSource", refusedCluster],
  ],
  [
    "When only the API server would refuse a rule in own mode, it should write nothing either",
    aHub({ pools: worker, mirrorObjects: [twice] }),
    [refused, "create Event DuplicateMirror", refusedCluster],
  ],
  [
    "When an object with conditions is refused in own mode, it should report it in the condition Failed too",
    aHub({ pools: worker, mirrorObjects: [release, idlePolicy], image: blocked }),
    [refused, isFailed("x/idle"), scopeBlocked, refusedCluster],
  ],
  [
    "When the error of an object is fixed, its condition Failed should say so",
    aHub({ pools: worker, mirrorObjects: [release, failed("True")] }),
    ["worker create by hubrelay", "create worker: 1 rule", isResolved("x/idle"), rendered],
  ],
  [
    "When an object never failed, its conditions should stay",
    aHub({ pools: worker, mirrorObjects: [release, failed("False")] }),
    ["worker create by hubrelay", "create worker: 1 rule", rendered],
  ],
  [
    "When objects of other namespaces or names are refused, the condition of each should be its own",
    aHub({
      pools: worker,
      image: blocked,
      mirrorObjects: [
        release,
        idlePolicy,
        elsewhere(failed("True"), { name: "fine" }),
        elsewhere({ ...failed("True"), kind: "ImagePolicy" }, { namespace: "team" }),
      ],
    }),
    [
      refused,
      isFailed("x/idle"),
      isResolved("x/fine"),
      isResolved("x/team/idle"),
      "create Event ConflictScopes",
      scopeBlocked,
      refusedCluster,
    ],
  ],
  [
    "When one pool is verified, conditions should be left to the other owner",
    aHub({
      pools: [aPool("master"), ...verifiedWorker],
      machineConfigs: [foreignMachineConfig({}, [])],
      mirrorObjects: [release, idlePolicy],
      image: blocked,
    }),
    ["master refused by hubrelay", "worker refused by unknown", scopeBlocked, refusedCluster],
  ],
];

describe.for([owning, byCost, verifying, refusing])("what is decided", (cases) => {
  test.for(cases)("$0", ([, hub, report]) => {
    const plan = decide(hub);
    expect(reportOf(plan)).toEqual(report);
    const again = decide(afterwards(hub, plan));
    expect({ actions: again.actions, outcomes: outcomesOf(again) }).toEqual({ actions: [], outcomes: [] });
  });
});

/** What a person reads of a plan: reasons, differences and the messages of Events. */
const textsOf = ({ decisions, actions }: Plan) => [
  ...decisions.flatMap(({ reason, differences = [] }) => [reason, ...differences]),
  ...actions.flatMap(({ object }) => (object.kind === "Event" ? [object.message] : [])),
];
const unsafe =
  "Unsafe for running containers. quay.io/acme: A new entry with mirrors that serve tags: m.example.";
const heldText = `The change costs drain and the pool allows none: ${unsafe} No maintenance window allows it. Raise the annotation hubrelay.dev/max-cost to let it go ahead.`;
const absentText =
  "99-worker-generated-registries is not written: Image/cluster of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.";
const asking =
  "no other writer was found (to have hubrelay write, run: kubectl annotate machineconfigpool worker hubrelay.dev/take-over=true)";
const generating = "machine-config-operator generates 99-worker-generated-registries";
const safe = "A node's cost: reload. None of its changes affects running containers.";

test.for<[what: string, hub: ReturnType<typeof aHub>, texts: readonly string[]]>([
  ["a held change", limited("none"), [heldText, "quay.io/acme added: + m.example tag-only", heldText]],
  ["a written change", limited("drain"), [`2 rules; a node's cost: drain. ${unsafe}`]],
  ["what is absent", aHub({ pools: worker, image: undefined }), [absentText, absentText, absentText]],
  ["what matches", aHub(owned), ["its content matches the mirror objects; 1 rule"]],
  [
    "what only metadata change",
    aHub({ pools: worker, machineConfigs: [ownMachineConfig({ ownerReferences: [] })] }),
    ["The files are up to date; what differs is metadata.ownerReferences."],
  ],
  ["agreement", aHub(verified), [`${generating}; it matches the mirror objects`]],
  [
    "a refusal",
    aHub({ ...verified, mirrorObjects: [storage] }),
    [`${generating}; machine-config-operator refuses the configuration, the nodes keep the old file`],
  ],
  [
    "an expectation",
    aHub({ pools: verifiedWorker }),
    [
      `${asking}; the mirror objects require different content, a node's cost: reload`,
      `The mirror objects require a different 99-worker-generated-registries; ${asking}. ${safe}`,
    ],
  ],
  [
    "a pool without label",
    aHub({ pools: [], customPools: [aPool("worker", { labels: {} })] }),
    [
      "MachineConfigPool/worker has no label machineconfiguration.openshift.io/mco-built-in, so hubrelay does not know it as a built-in pool. Fix: Keep the labels of the hub's pool.",
    ],
  ],
])("When a person reads about $0, it should say what follows", ([, hub, texts]) => {
  expect(textsOf(decide(hub))).toEqual(expect.arrayContaining([...texts]));
});

test("When an outcome is repeated, it should keep its id, and another transition should get a new one", () => {
  const [first] = outcomesOf(decide(aHub()));
  const [repeated] = outcomesOf(decide(aHub({ now: new Date("2026-03-01T05:00:00Z") })));
  expect(repeated?.id).toBe(first?.id);
  const shrunk = decide({ ...afterwards(aHub(), decide(aHub())), mirrorObjects: [] });
  expect(outcomesOf(shrunk)[0]?.id).not.toBe(first?.id);
});

test("When a change is rendered, its outcome should have rules, files, cost and issues", () => {
  const empty = aDigestMirrorSet("empty", [{ source: "quay.io/empty", mirrors: [] }]);
  const plan = decide(aHub({ pools: worker, mirrorObjects: [release, empty] }));
  const [outcome] = outcomesOf(plan);
  const [file] = plan.actions.flatMap(({ object }) =>
    object.kind === "Event" ? [] : readMachineConfigFiles(object),
  );
  expect(outcome).toMatchObject({ source: "urn:test:hub", subject: "99-worker-generated-registries" });
  expect(outcome?.data).toMatchObject({
    pool: "worker",
    machineConfig: "99-worker-generated-registries",
    rules: { applied: 2, leftOut: 0 },
    files: [
      {
        path: "/etc/containers/registries.conf",
        bytes: Buffer.byteLength(file?.contents ?? ""),
        sha256: hash("sha256", file?.contents ?? ""),
      },
    ],
    cost: { cost: "reload" },
    conditions: [],
    issueCount: 1,
    issues: [{ code: "RuleWithoutMirrors" }],
  });
  expect(outcome?.data).not.toHaveProperty("window");
});

test("When many files and sources change, the outcome should carry fifty changes", () => {
  const sources = Array.from({ length: 60 }, (_, index) => ({
    source: `quay.io/r${index}`,
    mirrors: ["m.example"],
  }));
  const plan = decide(aHub({ pools: worker, mirrorObjects: [aDigestMirrorSet("many", sources)] }));
  expect(Object(outcomesOf(plan)[0]?.data.cost).changes).toHaveLength(50);
});

test("When a message is delivered again, it should publish the outcomes of its last writes again", () => {
  const hub = aHub({ mirrorObjects: [release, storage] });
  const first = decide(hub);
  const before = afterwards(hub, first);
  const ids = ({ standing }: Plan) => standing?.(hub.now).map(({ id }) => id);
  expect(ids(decide(before))).toEqual(outcomesOf(first).map(({ id }) => id));
  const other = { ...before, hubId: "urn:test:other" };
  expect(ids(decide(other))).toEqual([]);
  const refusing = aHub({
    pools: worker,
    machineConfigs: [foreignMachineConfig(mcoAnnotation)],
    mirrorObjects: [storage],
  });
  const refused = decide(refusing);
  expect(ids(decide(afterwards(refusing, refused)))).toEqual(outcomesOf(refused).map(({ id }) => id));
});

test("When mirror objects are read in another order, the plan should be the same", () => {
  const mirrorObjects = [release, storage, acme("m.example"), contradicting("NeverContactSource")];
  const shuffled = fc.shuffledSubarray(mirrorObjects, { minLength: mirrorObjects.length });
  const inOrder = decide(aHub({ mirrorObjects }));
  fc.assert(
    fc.property(shuffled, (objects) => {
      const plan = decide(aHub({ mirrorObjects: objects }));
      expect(plan.actions).toEqual(inOrder.actions);
      expect(plan.decisions).toEqual(inOrder.decisions);
    }),
    { numRuns: 30 },
  );
});

test("When the owner of a MachineConfig does not follow within the grace period, it should report drift once", () => {
  const hub = aHub({
    pools: [aVerifiedPool("worker")],
    machineConfigs: [foreignMachineConfig(mcoAnnotation, [])],
  });
  const first = decide(hub);
  expect(first.requeueAt).toEqual(new Date("2026-03-01T02:01:30Z"));
  const late = { ...afterwards(hub, first), now: new Date("2026-03-01T02:02:00Z") };
  const second = decide(late);
  expect(verdicts(second)).toEqual(["99-worker-generated-registries drift"]);
  expect(second.decisions[0]?.reason).toMatch(
    /has not matched the mirror objects since 2026-03-01T02:00:00Z$/,
  );
  expect(outcomesOf(second).map(({ type }) => type)).toEqual(["dev.hubrelay.mirror-config.drift"]);
  expect(outcomesOf(decide(afterwards(late, second)))).toEqual([]);

  const reported = afterwards(late, second);
  const halfAnHourLater = decide({ ...reported, now: new Date("2026-03-01T02:32:00Z") });
  expect(
    halfAnHourLater.actions.map(({ verb, object }) => `${verb} ${object.reason} ${object.firstTimestamp}`),
    "the Events, which the API server would remove",
  ).toEqual([
    "update MachineConfigExpected 2026-03-01T02:00:00Z",
    "update MachineConfigDrift 2026-03-01T02:02:00Z",
  ]);
  expect(outcomesOf(halfAnHourLater)).toEqual([]);
});

test("When it takes over a MachineConfig, it should keep what others added", () => {
  const { metadata, ...found } = foreignMachineConfig({ own: "x" }, []);
  const labels = { ...metadata.labels, own: "x" };
  const present = {
    ...found,
    spec: { ...Object(found.spec), fips: true },
    metadata: { ...metadata, labels },
  };
  const [action] = decide(aHub({ pools: worker, machineConfigs: [present] })).actions;
  expect(action?.object).toMatchObject({
    metadata: {
      labels,
      annotations: { own: "x", "hubrelay.dev/owned-by": "mirror-config" },
      ownerReferences: [{ kind: "Image", uid: "uid-of-Image-cluster" }],
      resourceVersion: "7",
    },
    spec: { fips: true },
  });
  expect(action && readMachineConfigFiles(action.object)).toHaveLength(1);
});

/** More than the largest MachineConfig that an API server stores. */
const tooLarge = aDigestMirrorSet(
  "large",
  Array.from({ length: 6_000 }, (_, index) => ({
    source: `quay.io/${"a".repeat(100)}/r${index}`,
    mirrors: [`m.example/${"b".repeat(100)}/r${index}`],
  })),
);
/** Returns the object, and how often its rules were read. */
function countingReads(object: KubernetesObject) {
  let reads = 0;
  const counted = {
    ...object,
    get spec() {
      reads++;
      return object.spec;
    },
  };
  return { object: counted, reads: () => reads };
}

test("When ten pools have equal inputs, it should read the rules as often as for one pool", () => {
  const plans = [1, 10].map((count) => {
    const counted = countingReads(release);
    const pools = Array.from({ length: count }, (_, index) => aPool(`worker-${index}`));
    return { plan: decide(aHub({ pools, mirrorObjects: [counted.object] })), reads: counted.reads() };
  });
  const [one, ten] = plans;
  expect(ten?.plan.actions).toHaveLength(10);
  expect(ten?.reads).toBe(one?.reads);
});

test("When the configuration would be too large for the API, it should not write it and report that", () => {
  const plan = decide(aHub({ pools: worker, mirrorObjects: [tooLarge] }));
  expect(plan.decisions).toMatchObject([
    {
      verdict: "held",
      reason: "it would exceed the size limit of the API",
      differences: ["It would exceed the size limit of the API."],
    },
  ]);
  expect(written(plan)).toEqual(["create Event MachineConfigTooLarge"]);
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

test("When an error is reported as a condition, it should name field and remedy, until it is fixed", () => {
  const hub = aHub({ pools: worker, mirrorObjects: [release, idlePolicy], image: blocked });
  const conditionIn = (plan: Plan) => {
    const status = plan.actions.find(({ verb }) => verb === "update-status")?.object.status;
    const { type, status: is, reason, message } = Object(status).conditions[0];
    return `${type} ${is} ${reason}: ${message}`;
  };
  const first = decide(hub);
  expect(conditionIn(first)).toBe(
    "Failed True PolicyScopeBlocked: spec.scopes[0]: clusterimagePolicy configured for the scope quay.io/acme is nested inside blockedRegistries. Remove the scope that contains it from spec.registrySources.blockedRegistries of Image/cluster, or remove it here.",
  );
  const fixed = decide({ ...afterwards(hub, first), image: anImageConfig() });
  expect(conditionIn(fixed)).toBe("Failed False Resolved: This object has no errors.");
});
