import pMap from "p-map";
import { poolConfigNames } from "#shared/domain/hosted-clusters/nodes/pool-config.ts";
import type { Unread } from "#shared/domain/issues/coverage.ts";
import { displayName, type Kind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { roleLabel } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { type HubReader, ifPermitted, type ListOptions } from "#shared/ports/hub.ts";

/** Objects that were read from a hub. `unread` has the objects that the caller has no permission to read. */
export type HubObjects = Readonly<{ objects: readonly KubernetesObject[]; unread: readonly Unread[] }>;

/** The kinds to read from a hub. Without permission, reading fails only for a `required` kind. */
export type ReadFromHub = readonly [
  required: readonly Kind[],
  optional?: readonly Kind[],
  configMap?: Readonly<{ namespace: string; name: string }>,
];

/** Leaves out MachineConfigs without the role label: pools do not select them, and some of them are large. */
const listOptions = (kind: Kind): ListOptions =>
  kind === kinds.MachineConfig ? { withLabel: roleLabel } : {};

const forbidden = (what: string): Unread => ({ what, why: "permission", count: 1 });

const concurrency = 8;

async function configMapsIn(
  hub: HubReader,
  [namespace, names]: readonly [string, ReadonlySet<string>],
): Promise<HubObjects> {
  const [only = "", ...others] = names;
  const isNamed = ({ metadata }: KubernetesObject) => names.has(metadata.name);
  // The contents of ConfigMaps with other names are dropped at once, since there may be many.
  const keep = (object: KubernetesObject) =>
    isNamed(object) ? object : { ...object, data: {}, binaryData: {} };
  const read =
    others.length === 0
      ? hub.get(kinds.ConfigMap, only, namespace).then((one) => (one ? [one] : []))
      : hub.list(kinds.ConfigMap, { namespace, keep });
  const { found = [], isPermitted } = await ifPermitted(read);
  return {
    objects: found.filter(isNamed),
    unread: isPermitted
      ? []
      : [...names].map((name) => forbidden(displayName({ kind: kinds.ConfigMap.kind, namespace, name }))),
  };
}

/** Returns the ConfigMaps that `spec.config` of the NodePools in `objects` names. */
export async function readPoolConfigs(
  hub: HubReader,
  objects: readonly KubernetesObject[],
): Promise<HubObjects> {
  const read = await pMap(poolConfigNames(objects), (named) => configMapsIn(hub, named), { concurrency });
  return { objects: read.flatMap((one) => one.objects), unread: read.flatMap((one) => one.unread) };
}

/** Returns the objects of these kinds on a hub, and the ConfigMaps that NodePools name. */
export async function readHub(
  hub: HubReader,
  ...[required, optional = [], configMap]: ReadFromHub
): Promise<HubObjects> {
  const list = (kind: Kind) => hub.list(kind, listOptions(kind));
  const [objects, others, named] = await Promise.all([
    Promise.all(required.map(list)),
    Promise.all(optional.map(async (kind) => ({ kind, ...(await ifPermitted(list(kind))) }))),
    configMap ? configMapsIn(hub, [configMap.namespace, new Set([configMap.name])]) : undefined,
  ]);
  const found = [...objects, ...others.map((one) => one.found ?? [])].flat();
  const ofPools = await readPoolConfigs(hub, found);
  return {
    objects: [...found, ...ofPools.objects, ...(named?.objects ?? [])],
    unread: [
      ...others.filter(({ isPermitted }) => !isPermitted).map(({ kind }) => forbidden(kind.kind)),
      ...ofPools.unread,
      ...(named?.unread ?? []),
    ],
  };
}
