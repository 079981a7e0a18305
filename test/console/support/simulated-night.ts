import { controllers } from "#functions/controllers.ts";
import { encodeOverridesLikeHypershift } from "#shared/domain/hosted-clusters/overrides/environment-text.ts";
import { overridesLikeHypershift } from "#shared/domain/hosted-clusters/overrides/hypershift-overrides.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { mirrorRuleKinds } from "#shared/domain/mirrors/input/rules.ts";
import { isSuspended } from "#shared/domain/precache/work/manifest-work.ts";
import { runOf } from "#shared/domain/precache/work/work-identity.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { seededRandom } from "../../../cli/simulation/fates.ts";
import { type JobReport, suspended, withReport } from "../../../cli/simulation/reported-status.ts";
import { simulatedPlanning } from "../../../cli/simulation/simulated-planning.ts";
import {
  aControlPlaneOperator,
  aHostedCluster,
  aWorldOf,
  controlPlaneOf,
  guestClusterVersion,
  hypershiftFinalizer,
  inMemory,
} from "../../support/hosted-clusters/hosted-cluster-hub.ts";
import { aNodePool } from "../../support/hosted-clusters/node-pools.ts";
import { aDigestMirrorSet } from "../../support/hub/objects.ts";
import {
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aWantedRelease,
} from "../../support/precache/precache-plan-objects.ts";
import { precacheSystem } from "../../support/precache/precache-system.ts";
import { aWindow } from "../../support/precache/precache-windows.ts";
import { heldImage, heldRegistry, heldRelease } from "../../support/servers/held-registry.ts";
import { exampleObjects } from "./example-console.ts";

/*
 * A night of a fleet, as all functions see it: simulated are the clock, the work agents of clusters, and the registry.
 * Everything that the pages show follows from that. The night is the same in every run.
 */

const minute = 60_000;
const at = (time: string) => new Date(`2026-03-${time}:00Z`).getTime();
const evening = at("03T20:30");
/** The time that the pages show. */
const shown = at("03T22:20");
const mirrorsChange = at("03T21:50");
const tickMinutes = 5;

const clustersPerSite = 12;
/** Sites with the time that one of their clusters pulls. */
const sites = { bergen: 40, bodo: 45, molde: 65, oslo: 30, stavanger: 50, tromso: 45, trondheim: 35 };
const namesAt = (site: string) =>
  Array.from({ length: clustersPerSite }, (_, index) => `${site}-${index + 1}`);
const siteOf = (cluster: string) => cluster.replace(/-\d+$/, "");
const fleet = Object.keys(sites).flatMap(namesAt);
const hubRegistry = "registry.hub.example.com:8443";
const edgeRegistry = (site: string) => `registry.${site}.example.com:5000`;

type Failure = Readonly<{ after: number; reason: string; image: string; detail: string }>;
const unauthorized: Failure = {
  after: 0.06,
  reason: "Unauthorized",
  image: `${hubRegistry}/apps/vran@sha256:7f83b165`,
  detail: "unauthorized: authentication required",
};
const noSpace: Failure = {
  after: 0.6,
  reason: "NoSpace",
  image: "",
  detail: "the images need 9.4 GiB more than /var/lib/containers has",
};
const cutOff: Failure = {
  after: 0.35,
  reason: "PullFailed",
  image: `${hubRegistry}/openshift/release@sha256:4d1f3f1f`,
  detail: "read tcp 10.20.4.7:41822: connection reset by peer",
};
const failures: ReadonlyMap<string, Failure> = new Map([
  ["bergen-2", unauthorized],
  ["bergen-5", unauthorized],
  ["bergen-6", unauthorized],
  ["oslo-3", noSpace],
  ["stavanger-1", cutOff],
  ["stavanger-4", cutOff],
  ["molde-2", cutOff],
]);
const offline = new Set(["trondheim-4", "oslo-8"]);

const imagesTotal = 192;
const bytesTotal = 29_400_000_000;

const progressOf = (part: number) => ({
  imagesDone: String(Math.floor(imagesTotal * part)),
  imagesTotal: String(imagesTotal),
  bytesDone: String(Math.floor(bytesTotal * part)),
  bytesTotal: String(bytesTotal),
});

/** Returns what the work agent of a cluster reports when it has pulled a part of its images. */
function reportOf(cluster: string, part: number): JobReport {
  const failure = failures.get(cluster);
  if (failure && part >= failure.after) {
    const { reason, image, detail } = failure;
    return {
      job: { failedStatus: "True", failedReason: "BackoffLimitExceeded" },
      progress: { ...progressOf(failure.after), reason, image, detail },
    };
  }
  if (part >= 1) return { job: { succeeded: 1, complete: "True" }, progress: progressOf(1) };
  return { job: { active: 1 }, progress: progressOf(part) };
}

/** The parts that clusters have pulled, as their links permit. */
function agentsOf(hub: { put(object: KubernetesObject): void }) {
  const random = seededRandom(7);
  const minutesOf = new Map(
    fleet.map((name) => [name, (sites[siteOf(name) as keyof typeof sites] ?? 40) * (0.8 + 0.5 * random())]),
  );
  const parts = new Map<string, number>();
  return (works: readonly KubernetesObject[]): void => {
    for (const work of works) {
      const cluster = work.metadata.namespace ?? "";
      const run = runOf(work);
      const before = parts.get(cluster) ?? 0;
      if (!run || offline.has(cluster)) continue;
      if (isSuspended(work)) {
        hub.put(withReport(work, run, suspended));
        continue;
      }
      const part = before + tickMinutes / (minutesOf.get(cluster) ?? 40);
      parts.set(cluster, part);
      hub.put(withReport(work, run, reportOf(cluster, before === 0 ? 0.001 : part)));
    }
  };
}

/** A registry that has the release of the fleet, and lacks a part of the next one. */
function mirrorRegistry() {
  const { registry, images } = heldRegistry();
  const releaseOf = (version: string, first: number, held: (index: number) => boolean) => {
    const parts = Array.from({ length: 24 }, (_, index) => heldImage({ content: `${first + index}` }));
    for (const [index, part] of parts.entries())
      if (held(index)) images.set(`${hubRegistry}/openshift/release:${version}-${index}`, part);
    const release = heldRelease(
      parts.map(({ digest }) => `quay.io/openshift-release-dev/ocp-v4.0-art-dev@${digest}`),
    );
    images.set(`${hubRegistry}/openshift/release-images:${version}`, release);
    return `quay.io/openshift-release-dev/ocp-release@${release.digest}`;
  };
  return {
    registry,
    present: releaseOf("4.20.3", 0, () => true),
    next: releaseOf("4.20.4", 100, (index) => index % 5 !== 1),
  };
}

const compliance = (clusters: readonly string[]) =>
  Object.fromEntries(clusters.map((name) => [name, "NonCompliant"]));

/** An upgrade of these clusters to a release, with its policy and its configuration. */
function upgradeTo(
  name: string,
  clusters: readonly string[],
  [version, image]: readonly [string, string],
  annotations: Readonly<Record<string, string>>,
  additionalImages: readonly string[] = [],
): readonly KubernetesObject[] {
  const metadata = { namespace: "fleet", name };
  const policy = `platform-${name}`;
  return [
    aPolicy(policy, [aWantedRelease({ desiredUpdate: { version, image } })], compliance(clusters)),
    aPreCachingConfig({ spaceRequired: "45 GiB", additionalImages }, metadata),
    anUpgrade(
      {
        clusters,
        managedPolicies: [policy],
        preCachingConfigRef: metadata,
        remediationStrategy: { maxConcurrency: 60, timeout: 240 },
      },
      { ...metadata, annotations: { "hubrelay.dev/site-label": "site", ...annotations } },
    ),
  ];
}

const windows = [
  aWindow("north-nights", {
    schedule: "0 0 * * *",
    timeZone: "Europe/Oslo",
    duration: "3h",
    clusterSelector: { matchExpressions: [{ key: "site", operator: "In", values: ["bodo", "tromso"] }] },
    exclusions: [{ from: "2026-03-07", to: "2026-03-09", reason: "regional elections" }],
  }),
  aWindow("hub-weekends", {
    schedule: "0 2 * * SAT",
    timeZone: "Europe/Oslo",
    duration: "8h",
    clusterSelector: undefined,
    exclusions: [{ from: "2026-03-14", to: "2026-03-15", reason: "end of the quarter" }],
    allow: { preCaching: false, maxCost: { master: "reboot", worker: "reboot" } },
  }),
  aWindow("tenants", {
    schedule: "0 22 * * WED,FRI",
    timeZone: "Europe/Oslo",
    duration: "6h",
    clusterSelector: undefined,
    allow: { preCaching: false, hostedClusters: { maxCost: "replace", selector: {} } },
  }),
].map((window) => ({ ...window, metadata: { ...window.metadata, namespace: "fleet" } }));

const releaseSource = "quay.io/openshift-release-dev/ocp-release";

const edgeMirrors = aDigestMirrorSet("edge-release", [
  {
    source: releaseSource,
    mirrors: [edgeRegistry("bergen"), edgeRegistry("oslo")].map((host) => `${host}/openshift/release-images`),
  },
  {
    source: "registry.access.redhat.com/ubi9",
    mirrors: [edgeRegistry("oslo"), edgeRegistry("tromso")].map((host) => `${host}/cache/ubi9`),
  },
]);

type Pool = Readonly<{ name: string; replicas: number; version: string; problem?: string }>;

function nodePools(
  clusterName: string,
  version: string,
  pools: readonly Pool[],
): readonly KubernetesObject[] {
  return pools.map(({ name, replicas, version: running, problem }) => ({
    ...aNodePool(`${clusterName}-${name}`, {
      clusterName,
      replicas,
      arch: "amd64",
      platform: { type: "KubeVirt" },
      release: { image: `${releaseSource}:${version}-multi` },
    }),
    status: {
      version: running,
      replicas,
      conditions: [
        { type: "Ready", status: problem ? "False" : "True", ...(problem ? { message: problem } : {}) },
      ],
    },
  }));
}

const capabilities = { disabled: ["Console", "ImageRegistry", "Ingress", "NodeTuning"] };
const guestVersion = {
  ...guestClusterVersion("Build"),
  spec: {
    channel: "stable-4.20",
    capabilities: { baselineCapabilitySet: "None", additionalEnabledCapabilities: ["Build"] },
  },
};

/** A hosted cluster beside HyperShift, with its node pools. */
type Tenant = Readonly<{ cluster: KubernetesObject; pools: readonly Pool[] }>;

function tenants(
  examples: readonly KubernetesObject[],
): Readonly<Record<"billing" | "analytics" | "payments", Tenant>> {
  const found = examples.find(({ kind }) => kind === "HostedCluster");
  if (!found) throw new Error("the examples have no hosted cluster");
  const spec = { ...Object(found.spec), capabilities };
  const tenant = (name: string, annotations: Readonly<Record<string, string>> = {}) =>
    aHostedCluster(name, {
      metadata: { finalizers: [hypershiftFinalizer], annotations },
      spec: { ...spec, imageContentSources: [] },
    });
  return {
    billing: { cluster: { ...found, spec }, pools: [{ name: "workers", replicas: 6, version: "4.20.4" }] },
    analytics: {
      cluster: tenant("analytics", { "hubrelay.dev/image-content-sources": "release" }),
      pools: [
        { name: "compute", replicas: 12, version: "4.20.4" },
        { name: "gpu", replicas: 3, version: "4.19.11" },
      ],
    },
    payments: {
      cluster: tenant("payments"),
      pools: [
        { name: "blue", replicas: 4, version: "4.20.4" },
        {
          name: "green",
          replicas: 4,
          version: "4.20.4",
          problem: "1 of 4 nodes is not ready: payments-green-2",
        },
      ],
    },
  };
}

/** The control plane as HyperShift's operators write it; without the nodes' mirrors, which none of them has yet. */
function controlPlane({ cluster }: Tenant, rules: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const overrides = encodeOverridesLikeHypershift(overridesLikeHypershift(rules).overrides);
  const { name, annotations } = cluster.metadata;
  const readers = ["hosted-cluster-config-operator", "ignition-server"].map((reader) =>
    aControlPlaneOperator(name, overrides, reader),
  );
  return [...controlPlaneOf(cluster, { overrides, fields: { imageContentSources: [] } }), ...readers].map(
    (object) => ({
      ...object,
      metadata: { ...object.metadata, annotations: { ...annotations, ...object.metadata.annotations } },
    }),
  );
}

/** Runs the functions until the time that is shown. Returns the hub, and the time. */
export async function simulatedNight() {
  const { registry, present, next } = mirrorRegistry();
  const outside = aWorldOf(inMemory([], [guestVersion])).ports.external;
  const external = { ...noExternalPorts, ...outside, planning: simulatedPlanning, freshRegistry: registry };
  const system = precacheSystem(undefined, controllers, (ports) => ({ ...ports, external }));
  const { hub } = system;
  const passUntil = (time: number) => system.pass((time - system.now().getTime()) / 1_000);

  const examples = (await exampleObjects()).filter(
    ({ kind }) =>
      !["ClusterGroupUpgrade", "ManagedCluster", "Policy", "PreCachingConfig", "MaintenanceWindow"].includes(
        kind,
      ),
  );
  const rules = examples.filter((object) => mirrorRuleKinds.some((kind) => kind.kind === object.kind));
  passUntil(evening - 60 * minute);
  const managed = [...fleet, ...namesAt("narvik")].map((name) =>
    aManagedCluster(name, { labels: { site: siteOf(name) } }),
  );
  const hosted = tenants(examples);
  const putControlPlanes = (some: readonly Tenant[], of: readonly KubernetesObject[]) => {
    for (const object of some.flatMap((tenant) => controlPlane(tenant, of))) hub.put(object);
  };
  for (const object of [...examples.filter(({ kind }) => kind !== "HostedCluster"), ...managed, ...windows])
    hub.put(object);
  putControlPlanes(Object.values(hosted), rules);
  for (const { cluster, pools } of Object.values(hosted)) {
    const history = [{ state: "Completed", version: "4.20.4" }];
    hub.put({ ...cluster, status: { version: { history } } });
    for (const pool of nodePools(cluster.metadata.name, "4.20.4", pools)) hub.put(pool);
  }
  await system.settle();

  passUntil(evening);
  const work = agentsOf(hub);
  const vran = `${hubRegistry}/apps/vran@sha256:${"7f83b165".repeat(8)}`;
  const upgrades = [
    ...upgradeTo("fleet-4-20-3", fleet, ["4.20.3", present], {
      "hubrelay.dev/max-per-site": "4",
      "hubrelay.dev/enable-after-precaching": new Date(at("04T01:30")).toISOString(),
    }),
    ...upgradeTo(
      "spring-4-20-4",
      namesAt("narvik"),
      ["4.20.4", next],
      { "hubrelay.dev/require-ready": "true" },
      [vran],
    ),
  ];
  for (const object of upgrades) hub.put(object);
  await system.settle();
  while (system.now().getTime() < shown) {
    const time = system.now().getTime();
    if (time === mirrorsChange) hub.put(edgeMirrors);
    if (time === mirrorsChange + 10 * minute)
      putControlPlanes([hosted.analytics, hosted.payments], [...rules, edgeMirrors]);
    work(system.works());
    await system.settleByTick(tickMinutes * 60);
  }
  return { hub: { ...hub, id: "https://api.hub.example.com:6443" }, now: system.now };
}
