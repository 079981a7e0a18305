import {
  type CapabilityInput,
  type ClusterCapabilities,
  capabilityDifferences,
  readCapabilityChoice,
  readGuestCapabilities,
  writtenCapabilities,
} from "#shared/domain/hosted-clusters/capabilities/cluster-version-capabilities.ts";
import { catalogAnnotationNames } from "#shared/domain/hosted-clusters/olm-catalogs/mirrored-catalogs.ts";
import { decodeOverrides } from "#shared/domain/hosted-clusters/overrides/environment-text.ts";
import { fieldsOf, isRecord, isSameJson, listOf, ownValue } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { overridesVariable } from "../well-known-names.ts";
import type { Context } from "./cluster-plan.ts";

/** The fields of a HostedCluster's spec that are copied unchanged to the HostedControlPlane. */
export const copiedFields = ["imageContentSources", "capabilities", "olmCatalogPlacement"] as const;

const immutableFields: readonly string[] = ["capabilities", "olmCatalogPlacement"];

/** The client of HyperShift's operators omits empty lists when it writes an object. */
function withoutEmptyLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyLists);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([, one]) => !isSameJson(one, []));
  return Object.fromEntries(kept.map(([field, one]) => [field, withoutEmptyLists(one)]));
}

const isDefault = (value: unknown) =>
  value === undefined || isSameJson(value, []) || isSameJson(value, {}) || value === "management";

/** Returns the copied fields that differ between the two objects. A missing field counts as its default. */
export function differingFields(
  hostedCluster: KubernetesObject,
  hostedControlPlane: KubernetesObject,
): Readonly<{ changeable: readonly string[]; immutable: readonly string[] }> {
  const { spec } = copiesOf(hostedCluster);
  const present = fieldsOf(hostedControlPlane.spec);
  const isSame = (a: unknown, b: unknown) =>
    (isDefault(a) && isDefault(b)) || isSameJson(a ?? null, b ?? null);
  const differing = Object.entries(spec)
    .filter(
      ([field, value]) => !isSame(withoutEmptyLists(value), withoutEmptyLists(ownValue(present, field))),
    )
    .map(([field]) => field);
  const isImmutable = (field: string) =>
    immutableFields.includes(field) && ownValue(present, field) !== undefined;
  return {
    changeable: differing.filter((field) => !isImmutable(field)),
    immutable: differing.filter(isImmutable),
  };
}

const roleLabel = "machineconfiguration.openshift.io/role";

/**
 * Returns the annotations and fields that a HostedControlPlane should copy from its HostedCluster; undefined for those
 * that it should lack. HyperShift copies the annotations of all catalogs, even if the release lacks the catalog.
 */
export function copiesOf(hostedCluster: KubernetesObject): Readonly<{
  annotations: Readonly<Record<string, string | undefined>>;
  spec: Readonly<Record<string, unknown>>;
}> {
  const { annotations = {} } = hostedCluster.metadata;
  const spec = fieldsOf(hostedCluster.spec);
  return {
    annotations: Object.fromEntries(
      catalogAnnotationNames.map((name) => [name, ownValue(annotations, name)]),
    ),
    spec: Object.fromEntries(copiedFields.map((field) => [field, spec[field]])),
  };
}

/** Returns the mirror rules of the guest's nodes. Empty lists are left out, as in the text that HyperShift hashes. */
export const guestMirrors = ({ cluster }: Context) =>
  cluster.imageContentSources.map(({ source, mirrors }) => ({
    source,
    ...(mirrors.length > 0 ? { mirrors } : {}),
  }));

/** Returns the guest's ImageDigestMirrorSet, which brings `spec.imageContentSources` to the guest's nodes. */
export function guestMirrorSet(context: Context): KubernetesObject {
  return {
    apiVersion: "config.openshift.io/v1",
    kind: "ImageDigestMirrorSet",
    metadata: { name: "cluster", labels: { [roleLabel]: "worker" } },
    spec: { imageDigestMirrors: guestMirrors(context) },
  };
}

/** Returns the input from which the capabilities of a guest are derived. */
export function capabilityInput({ cluster, guest }: Pick<Context, "cluster" | "guest">): CapabilityInput {
  const clusterVersion = guest.state === "seen" ? guest.clusterVersion : undefined;
  return {
    choice: readCapabilityChoice(cluster.capabilities),
    version: cluster.controlPlaneVersion,
    ...(clusterVersion ? { knownToGuest: readGuestCapabilities(clusterVersion).known } : {}),
  };
}

/** The desired capabilities of the guest's ClusterVersion, and a sentence for each difference. */
export type CapabilityWrite = Readonly<{
  /** The value of `spec.capabilities`; null if the control plane omits this field. */
  capabilities: ClusterCapabilities | null;
  differences: readonly string[];
}>;

/**
 * Compares the guest's ClusterVersion with what its control plane writes. During an upgrade, accepts what either the
 * old or the new control plane writes. There are no differences while the control plane's version is unknown.
 */
export function capabilityWrite(context: Context, clusterVersion: KubernetesObject): CapabilityWrite {
  const { controlPlaneVersion, begunVersions } = context.cluster;
  const input = capabilityInput(context);
  const capabilities = writtenCapabilities(input);
  if (controlPlaneVersion === undefined) return { capabilities, differences: [] };
  const guest = readGuestCapabilities(clusterVersion);
  const isOfUpgrade = begunVersions.some(
    (version) => capabilityDifferences(writtenCapabilities({ ...input, version }), guest).length === 0,
  );
  return { capabilities, differences: isOfUpgrade ? [] : capabilityDifferences(capabilities, guest) };
}

type Fields = Readonly<Record<string, unknown>>;

function podSpecOf({ spec }: KubernetesObject): Fields {
  return fieldsOf(fieldsOf(fieldsOf(spec).template).spec);
}

/** Returns the registry overrides in a Deployment's environment; undefined if no container has the variable. */
export function overridesTextOf(deployment: KubernetesObject): string | undefined {
  const variable = listOf(podSpecOf(deployment).containers)
    .flatMap((container) => listOf(fieldsOf(container).env))
    .find((one) => fieldsOf(one).name === overridesVariable);
  const { value } = fieldsOf(variable);
  return variable === undefined ? undefined : typeof value === "string" ? value : "";
}

const flag = "--registry-overrides=";

/** Returns the value of `--registry-overrides`, which HyperShift's operator sets; undefined without this option. */
export function replacementsTextOf(deployment: KubernetesObject): string | undefined {
  const words = listOf(podSpecOf(deployment).containers).flatMap((container) => {
    const { command, args } = fieldsOf(container);
    return [...listOf(command), ...listOf(args)];
  });
  const texts = words.filter((word) => typeof word === "string");
  return texts.find((word) => word.startsWith(flag))?.slice(flag.length);
}

/**
 * Returns the Deployment with these registry overrides. The Deployment stays unchanged if it has them already, or if it
 * has no overrides and needs none: each change restarts its pod.
 */
export function withOverridesText(deployment: KubernetesObject, text: string): KubernetesObject {
  const present = overridesTextOf(deployment) ?? "";
  if (present === text || (!decodeOverrides(present) && !decodeOverrides(text))) return deployment;
  const podSpec = podSpecOf(deployment);
  const [container, ...others] = listOf(podSpec.containers);
  const env = listOf(fieldsOf(container).env).filter((one) => fieldsOf(one).name !== overridesVariable);
  const changed = {
    ...fieldsOf(container),
    env: [...env, { name: overridesVariable, value: text }],
  };
  const spec = fieldsOf(deployment.spec);
  return {
    ...deployment,
    spec: {
      ...spec,
      template: { ...fieldsOf(spec.template), spec: { ...podSpec, containers: [changed, ...others] } },
    },
  };
}
