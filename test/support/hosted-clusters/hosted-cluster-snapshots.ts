import { describe, expect, test } from "vitest";
import { knownCatalogs } from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import { aHostedCluster, type HostedClusterFields } from "#shared/domain/hosted-clusters/fixtures.ts";
import { catalogNamespace } from "#shared/domain/hosted-clusters/olm-catalogs/catalog-objects.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Action, Plan } from "#shared/domain/plan/plan.ts";
import { decide } from "../../../functions/hosted-clusters/decide.ts";
import type { Snapshot } from "../../../functions/hosted-clusters/observe.ts";
import { aDigestMirrorSet, anObject } from "../hub/objects.ts";
import { outcomesOf } from "../messages/outcomes-of.ts";
import {
  aControlPlaneOperator,
  aHostedControlPlane,
  guestClusterVersion,
  hypershiftFinalizer,
} from "./hosted-cluster-hub.ts";
import { pair, release, rightVersion, sources } from "./hosted-cluster-worlds.ts";

export const now = new Date("2026-03-01T02:00:00Z");
export const namespace = "clusters-shop";

export type Fields = Readonly<Record<string, unknown>>;
export type Guest = Extract<Snapshot["guest"], Readonly<{ state: "seen" }>>;

export const stored = <Found extends KubernetesObject>(object: Found): Found => ({
  ...object,
  metadata: { uid: `uid-of-${object.metadata.name}`, resourceVersion: "3", ...object.metadata },
});

export const aGuest = (changes: Partial<Guest> = {}): Guest => ({
  state: "seen",
  clusterVersion: stored(guestClusterVersion()),
  digestMirrorSet: undefined,
  operatorHub: undefined,
  isLocked: false,
  catalogSources: [],
  ...changes,
});

/** The images of the catalogs, as they were found in this registry. */
export const foundIn = (registry: string, digit = 1): Snapshot["findings"] => ({
  state: "found",
  catalogs: knownCatalogs.map((catalog, index) => ({
    catalog,
    image: `${registry}/${catalog.repository}:v4.20`,
    digest: `sha256:${`${digit}${index}`.repeat(32)}`,
  })),
});

/** A hosted cluster that hubrelay owns, with a control plane in which nothing has been written yet. */
export function aSnapshot(changes: Partial<Snapshot> = {}): Snapshot {
  const hostedCluster = "hostedCluster" in changes ? changes.hostedCluster : stored(aHostedCluster());
  const { capabilities, olmCatalogPlacement } = Object(hostedCluster?.spec);
  return {
    now,
    hubId: "urn:test:hub",
    key: "clusters/shop",
    hostedCluster,
    readAt: "2",
    objectEvents: [],
    hypershiftOperator: undefined,
    mode: "own",
    controlPlane: {
      hostedControlPlane: stored(aHostedControlPlane("shop", { capabilities, olmCatalogPlacement })),
      operator: stored(aControlPlaneOperator()),
      overridesReaders: [],
      hasImageStreams: true,
      imageStream: undefined,
      ignitionConfig: undefined,
      settings: [],
    },
    guest: aGuest(),
    mirrorObjects: [],
    traces: undefined,
    findings: foundIn("registry.redhat.io/redhat"),
    payload: { state: "published" },
    accessIssues: [],
    ...changes,
  };
}

export const withControlPlane = (
  snapshot: Snapshot,
  changes: Partial<Snapshot["controlPlane"]>,
): Snapshot => ({
  ...snapshot,
  controlPlane: { ...snapshot.controlPlane, ...changes },
});

/** A hosted cluster for which HyperShift writes, and has written everything. */
export const aVerified = (changes: Partial<Snapshot> = {}): Snapshot => {
  const hostedCluster = stored(aHostedCluster({ metadata: { finalizers: [hypershiftFinalizer] } }));
  const snapshot = aSnapshot({ hostedCluster, ...changes });
  return {
    ...snapshot,
    mode: "verify",
    controlPlane: {
      ...snapshot.controlPlane,
      operator: stored(aControlPlaneOperator("shop", pair)),
      ...changes.controlPlane,
    },
    guest: aGuest({ clusterVersion: rightVersion }),
    mirrorObjects: [aDigestMirrorSet("ocp", [release])],
    findings: { state: "not needed" },
    ...changes,
  };
};

export const cluster = (spec: Fields, metadata: HostedClusterFields = {}) =>
  stored(aHostedCluster({ ...metadata, spec }));

export const annotated = (annotations: Readonly<Record<string, string>>, spec: Fields = {}) =>
  stored(aHostedCluster({ metadata: { annotations }, spec }));

export const withAnnotations = (
  object: KubernetesObject,
  annotations: Readonly<Record<string, string>>,
): KubernetesObject => stored({ ...object, metadata: { ...object.metadata, annotations } });

export function anImageStream(uid?: string): KubernetesObject {
  const owner = { apiVersion: "v1", kind: "X", name: "x", uid: uid ?? "", controller: true };
  const owned = uid === undefined ? {} : { ownerReferences: [owner] };
  const spec = { tags: [], lookupPolicy: { local: false } };
  return stored(
    anObject(kinds.ImageStream, { name: "catalogs", namespace, labels: { own: "x" }, ...owned }, { spec }),
  );
}

export const isEvent = ({ object }: Action) => object.kind === "Event";

/** What a plan decides, writes and reports, a line each; without what every hosted cluster and every write has. */
export const reportOf = (plan: Plan): readonly string[] => [
  ...plan.decisions.map(({ subject, verdict, reason, owner }) => {
    const whose = owner === undefined ? "" : ` (${owner})`;
    return `${subject.replace("clusters/shop", "shop")}${whose} ${verdict}: ${reason}`;
  }),
  ...plan.actions.flatMap((action) => {
    const { verb, object, reason, guest } = action;
    if (!isEvent(action))
      return [`${verb} ${object.kind} ${object.metadata.name}${guest ? ` in ${guest}` : ""}: ${reason}`];
    if (object.reason === "RegistryMirrors") return [];
    return [`${verb} Event ${object.type} ${object.reason}: ${object.message}`];
  }),
  ...outcomesOf(plan).map(({ type }) => type.replace("dev.hubrelay.hosted-clusters.", "outcome ")),
  ...(plan.requeueAt ? [`requeue ${plan.requeueAt.toISOString()}`] : []),
  ...(plan.again ? ["again"] : []),
];

/** The hub and the guest after a plan was applied, as this function reads them next. */
export function afterwards(snapshot: Snapshot, { actions }: Plan): Snapshot {
  let { hostedCluster, controlPlane, guest, objectEvents } = snapshot;
  for (const { verb, object: written } of actions) {
    const object = { ...written, metadata: { ...written.metadata, resourceVersion: "9" } };
    const one = verb === "delete" ? undefined : object;
    const list = (objects: readonly KubernetesObject[]) => [
      ...objects.filter(({ metadata }) => metadata.name !== object.metadata.name),
      ...(one ? [one] : []),
    ];
    const inGuest = (changes: Partial<Guest>) => {
      if (guest.state === "seen") guest = { ...guest, ...changes };
    };
    const { kind } = object;
    if (kind === "Event") objectEvents = list(objectEvents);
    if (kind === "HostedCluster") hostedCluster = one;
    if (kind === "HostedControlPlane") controlPlane = { ...controlPlane, hostedControlPlane: one };
    if (kind === "Deployment") controlPlane = { ...controlPlane, operator: one };
    if (kind === "ImageStream") controlPlane = { ...controlPlane, imageStream: one };
    if (kind === "ConfigMap" && object.metadata.name.startsWith("ignition"))
      controlPlane = { ...controlPlane, ignitionConfig: one };
    else if (kind === "ConfigMap") controlPlane = { ...controlPlane, settings: list(controlPlane.settings) };
    if (kind === "ImageDigestMirrorSet") inGuest({ digestMirrorSet: one });
    if (kind === "OperatorHub") inGuest({ operatorHub: one });
    if (kind === "ClusterVersion") inGuest({ clusterVersion: one });
    if (kind === "CatalogSource" && guest.state === "seen")
      inGuest({ catalogSources: list(guest.catalogSources) });
  }
  return { ...snapshot, hostedCluster, controlPlane, guest, objectEvents };
}

/** The hub after as many reconciles as it takes until nothing more is written. */
export function settled(snapshot: Snapshot): Snapshot {
  let hub = snapshot;
  for (let round = 0; round < 5; round++) {
    const plan = decide(hub);
    if (plan.actions.length === 0) return hub;
    hub = afterwards(hub, plan);
  }
  throw new Error("the hosted cluster does not settle");
}

/** The same hosted cluster when everything is written, with these changes since. */
export const aSettled = (changes: Partial<Snapshot> = {}): Snapshot => ({
  ...settled(aSnapshot()),
  ...changes,
});

const internalRegistryHostname = "image-registry.openshift-image-registry.svc:5000";
export const setting = stored(
  anObject(
    kinds.ConfigMap,
    { name: "openshift-apiserver", namespace },
    { data: { "config.yaml": JSON.stringify({ imagePolicyConfig: { internalRegistryHostname } }) } },
  ),
);

export const noTraces = {
  platform: "None",
  controlPlaneNamespace: namespace,
  controlPlane: [],
  guest: undefined,
};

export function aCatalogSource(name: string, spec: Fields = {}): KubernetesObject {
  const metadata = { name, namespace: catalogNamespace, labels: { own: "x" } };
  return stored(anObject(kinds.CatalogSource, metadata, { spec }));
}

export const anOperatorHub = (spec: Fields): KubernetesObject =>
  stored(anObject(kinds.OperatorHub, { name: "cluster" }, { spec }));

export const inRelease = [aDigestMirrorSet("ocp", sources)];

export const knownCapabilities = (...enabled: readonly string[]): KubernetesObject => ({
  ...stored(guestClusterVersion("Build", "Console", "marketplace", "OperatorLifecycleManager")),
  status: { capabilities: { knownCapabilities: ["Build", "Console"], enabledCapabilities: enabled } },
});

/** A snapshot, and what is reported about its plan (`reportOf`). */
export type Case = Readonly<{ name: string; snapshot: () => Snapshot; report: readonly string[] }>;

/** The first write of an object of this kind. */
export const written = (snapshot: Snapshot, kind: string) => {
  const found = decide(snapshot).actions.find(({ object }) => object.kind === kind);
  if (!found) throw new Error(`no ${kind} is written`);
  return found;
};

/** Tests that nothing more is written once the plans of each case were applied. */
export function testSettling(cases: readonly Case[]): void {
  test.for(cases)("$name; and it should come to rest", ({ snapshot }) => {
    const last = decide(settled(snapshot()));
    expect(last.actions).toEqual([]);
    expect(last.again).toBeUndefined();
  });
}

/** Tests the report of each case in which HyperShift writes, that only Events are written, and nothing more afterwards. */
export function testVerified(title: string, cases: readonly Case[]): void {
  describe(title, () => {
    test.for(cases)("$name", ({ snapshot, report }) => {
      const plan = decide(snapshot());
      expect(reportOf(plan)).toEqual(report);
      expect(plan.actions.every(isEvent)).toBe(true);
    });

    testSettling(cases);
  });
}

/** The report of the default catalogs of a guest to which the same happens. */
export const forCatalogs = (verb: string, why: string): readonly string[] =>
  ["certified-operators", "community-operators", "redhat-marketplace", "redhat-operators"].map(
    (name) => `${verb} CatalogSource ${name} in clusters/shop: ${why}`,
  );

/** A report that begins with what is written; a case that has no such line of its own gets it from its writes. */
function withVerdict(report: readonly string[]): readonly string[] {
  if (report[0]?.startsWith("shop ")) return report;
  const writes = report
    .filter((line) => /^(?:create|update|delete) (?!Event)/.test(line))
    .map((line) => line.replace(/:.*/s, "").replace(" in clusters/shop", " in the guest"));
  const verdict = writes.length > 0 ? "update" : "unchanged";
  const why = [
    "handed over by the annotation hubrelay.dev/take-over",
    ...(writes.length > 0 ? [writes.join(", ")] : []),
  ];
  return [`shop ${verdict}: ${why.join(": ")}`, ...report];
}

/**
 * Tests the report of each case in which hubrelay writes, that nothing more is written afterwards, and that the hub
 * keeps the outcomes.
 */
export function testOwned(title: string, cases: readonly Case[]): void {
  describe(title, () => {
    test.for(cases)("$name", ({ snapshot, report }) => {
      expect(reportOf(decide(snapshot()))).toEqual(withVerdict(report));
    });

    testSettling(cases);

    test.for(cases)("$name; and the hub should keep its outcomes", ({ snapshot }) => {
      const hub = snapshot();
      const plan = decide(hub);
      const kept = decide(afterwards(hub, plan)).standing?.(now) ?? [];
      const ids = outcomesOf(plan).map(({ id }) => id);
      expect(kept.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    });
  });
}
