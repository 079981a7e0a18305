import { hostedClusters } from "#functions/hosted-clusters/controller.ts";
import { type MemoryHub, memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { knownCatalogs } from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { OutcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { type ExternalPorts, noExternalPorts } from "#shared/ports/external-ports.ts";
import { type Hub, HubError, type HubReader } from "#shared/ports/hub.ts";
import type { Ports } from "#shared/ports/ports.ts";
import { type Registry, RegistryError } from "#shared/ports/registry.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { anObject } from "../hub/objects.ts";
import { mappedKeys } from "../messages/mapped-keys.ts";
import { schemaProblems } from "../messages/outcome-schema.ts";

const payload = "quay.io/openshift-release-dev/ocp-release:4.20.4-multi";
export const olmMirror = "mirror.corp.example:5000/olm";
export const hypershiftFinalizer = "hypershift.openshift.io/finalizer";

type Fields = Readonly<Record<string, unknown>>;

/** The HostedControlPlane that HyperShift creates for it. */
export function aHostedControlPlane(name = "shop", spec: Fields = {}): KubernetesObject {
  const annotations = { "hypershift.openshift.io/cluster": `clusters/${name}` };
  const usual = { releaseImage: payload, olmCatalogPlacement: "management", capabilities: {} };
  const metadata = { name, namespace: `clusters-${name}`, annotations };
  return anObject(kinds.HostedControlPlane, metadata, { spec: { ...usual, ...spec } });
}

/** The operator of a control plane, or another of its Deployments, with registry overrides in its environment. */
export function aControlPlaneOperator(
  name = "shop",
  overrides?: string,
  deployment = "control-plane-operator",
): KubernetesObject {
  const variable = { name: "OPENSHIFT_IMG_OVERRIDES", value: overrides };
  const env = [{ name: "POD_NAME", value: "x" }, ...(overrides === undefined ? [] : [variable])];
  const spec = { template: { spec: { containers: [{ name: deployment, image: payload, env }] } } };
  return anObject(kinds.Deployment, { name: deployment, namespace: `clusters-${name}` }, { spec });
}

export function secret(
  namespace: string,
  name: string,
  fields: Readonly<Record<string, string>>,
): KubernetesObject {
  const entries = Object.entries(fields).map(([field, text]) => [
    field,
    Buffer.from(text).toString("base64"),
  ]);
  return anObject(kinds.Secret, { name, namespace }, { data: Object.fromEntries(entries) });
}

/** The kubeconfig and the pull secret that HyperShift keeps beside a control plane. */
const publishedSecrets = (name = "shop"): readonly KubernetesObject[] => [
  secret(`clusters-${name}`, "admin-kubeconfig", { kubeconfig: `the kubeconfig of ${name}` }),
  secret(`clusters-${name}`, "pull-secret", { ".dockerconfigjson": "{}" }),
];

/**
 * The control plane of a hosted cluster: its HostedControlPlane with its immutable fields, its operator, and the
 * Secrets beside it.
 */
export function controlPlaneOf(
  { metadata, spec }: KubernetesObject,
  { overrides, fields = {} }: Readonly<{ overrides?: string; fields?: Fields }> = {},
): readonly KubernetesObject[] {
  const { capabilities, olmCatalogPlacement, release } = Object(spec);
  const copies = { capabilities, olmCatalogPlacement, releaseImage: Object(release).image };
  return [
    aHostedControlPlane(metadata.name, { ...copies, ...fields }),
    aControlPlaneOperator(metadata.name, overrides),
    ...publishedSecrets(metadata.name),
  ];
}

export const imageStreams = anObject(
  kinds.APIService,
  { name: "v1.image.openshift.io" },
  { spec: { group: "image.openshift.io", version: "v1" } },
);

export function guestClusterVersion(...known: readonly string[]): KubernetesObject {
  const spec = { clusterID: "6f1c0000-0000-4000-8000-000000000000", channel: "stable-4.20" };
  const capabilities = { knownCapabilities: known, enabledCapabilities: [] };
  const status = { desired: { version: "4.20.4", image: payload }, capabilities };
  return anObject(kinds.ClusterVersion, { name: "version" }, { spec, status });
}

/** The tags of the catalogs of 4.20 in a registry; another digit gives other digests. */
export const catalogTags = (registry: string, tag: string, digit: number): Readonly<Record<string, string>> =>
  Object.fromEntries(
    knownCatalogs.map(({ repository }, index) => [
      `${registry}/${repository}:${tag}`,
      `sha256:${`${digit}${index}`.repeat(32)}`,
    ]),
  );

/** A hub, the guest of one hosted cluster, a registry, and everything that the function sends out. */
export type World = Readonly<{
  hub: Hub;
  guest: Hub;
  ports: Pick<Ports<keyof ExternalPorts>, "hub" | "external" | "outcomes" | "log" | "now">;
  /** The content of registries, by reference; and the hosts that do not respond. */
  tags: Map<string, string>;
  failing: Set<string>;
  asked: readonly string[];
  outcomes: readonly OutcomeEvent[];
  /** The kubeconfigs with which guests were opened. */
  kubeconfigs: readonly string[];
  /** If true, guests are unreachable. */
  isGuestDead: { value: boolean };
  clock: { now: Date };
  /**
   * Returns the keys of the hosted clusters that a change of mirrors affects, read from this or another view of the
   * hub.
   */
  affected(through?: HubReader): Promise<readonly string[]>;
  /** Reconciles one key, as a message about it does. */
  deliver(key: string): Promise<Plan>;
  /** Reconciles a key, and what it sends after it, until nothing more is written; returns the last plan. */
  settle(key: string): Promise<Plan>;
  close(): Promise<void>;
}>;

const maxRounds = 20;
const id = "urn:test:hub";

type Apis = Readonly<{ hub: Hub; guest: Hub; close(): Promise<void> }>;

/** Returns both APIs, in memory. */
export function inMemory(
  objects: readonly KubernetesObject[],
  guestObjects: readonly KubernetesObject[],
): Apis & Readonly<{ hub: MemoryHub; guest: MemoryHub }> {
  const open = (items: readonly KubernetesObject[]) => {
    const api = memoryHub({ id, now: () => new Date("2026-03-01T02:00:00Z") });
    for (const item of items) api.put(item);
    return api;
  };
  return { hub: open(objects), guest: open(guestObjects), close: async () => undefined };
}

export async function aWorld(
  objects: readonly KubernetesObject[],
  guestObjects: readonly KubernetesObject[] = [],
  registry?: Registry,
): Promise<World> {
  return aWorldOf(inMemory(objects, guestObjects), registry);
}

/** A world of two existing APIs. */
export function aWorldOf({ hub, guest, close }: Apis, registry?: Registry): World {
  const tags = new Map<string, string>();
  const failing = new Set<string>();
  const asked: string[] = [];
  const outcomes: OutcomeEvent[] = [];
  const kubeconfigs: string[] = [];
  const isGuestDead = { value: false };
  const clock = { now: new Date("2026-03-01T02:00:00Z") };

  const external: ExternalPorts = {
    ...noExternalPorts,
    registry: registry ?? {
      ...noExternalPorts.registry,
      digest: async (image) => {
        asked.push(image);
        if (failing.has(image.slice(0, image.indexOf("/"))))
          throw new RegistryError("Unavailable", `${image}: the registry returned 503`);
        return tags.get(image);
      },
    },
    guests: {
      open: async (cluster, kubeconfig) => {
        kubeconfigs.push(kubeconfig);
        if (isGuestDead.value) throw new HubError("Timeout", `the API of ${cluster} did not respond in time`);
        return guest;
      },
      opened: () => guest,
    },
  };
  const ports = {
    hub,
    external,
    outcomes: {
      publish: async (events: readonly OutcomeEvent[]) => {
        const problems = schemaProblems(events);
        if (problems.length > 0) throw new Error(problems.join("\n"));
        outcomes.push(...events);
      },
    },
    log: () => undefined,
    now: () => clock.now,
  };
  const deliver = async (key: string) => (await reconcile(hostedClusters, key, ports)).plan;
  const affected = async (through: HubReader = hub): Promise<readonly string[]> => {
    const { apiVersion, kind } = kinds.ImageDigestMirrorSet;
    const keys = await mappedKeys(hostedClusters, { apiVersion, kind, name: "changed" }, through);
    return keys.map(({ name }) => name);
  };
  return {
    hub,
    guest,
    ports,
    tags,
    failing,
    asked,
    outcomes,
    kubeconfigs,
    isGuestDead,
    clock,
    affected,
    deliver,
    async settle(key) {
      for (let round = 0; round < maxRounds; round++) {
        const plan = await deliver(key);
        if (plan.actions.length === 0) return plan;
      }
      throw new Error(`${key} does not settle`);
    },
    close,
  };
}
