import { takeOverAnnotation } from "#shared/domain/issues/annotations.ts";
import { type KubernetesObject, kinds, type ObjectMeta } from "#shared/domain/kubernetes/object.ts";

type Fields = Readonly<Record<string, unknown>>;
type Type = Readonly<{ apiVersion: string; kind: string }>;

/** An object of a kind as a person writes it. */
export const anObject = (
  { apiVersion, kind }: Type,
  metadata: ObjectMeta,
  fields: Fields = {},
): KubernetesObject => ({ apiVersion, kind, metadata, ...fields });

/** An object as a hub returns it: with uid, resourceVersion and generation, unless a test sets others. */
export function stored(type: Type, metadata: ObjectMeta, fields: Fields = {}): KubernetesObject {
  const uid = ["uid-of", type.kind, metadata.namespace, metadata.name].filter(Boolean).join("-");
  return anObject(type, { uid, resourceVersion: "1", generation: 1, ...metadata }, fields);
}

/** An owner that does not exist: what it owns is deleted. */
export const anOwner = { apiVersion: "v1", kind: "ConfigMap", name: "missing", uid: "0-0" };

export const ownedByAnother = (object: KubernetesObject): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, ownerReferences: [anOwner] },
});

type Rule = Readonly<{ source: string; mirrors?: readonly string[]; mirrorSourcePolicy?: string }>;

export const aDigestMirrorSet = (name: string, rules: readonly Rule[], metadata?: Partial<ObjectMeta>) =>
  stored(kinds.ImageDigestMirrorSet, { name, ...metadata }, { spec: { imageDigestMirrors: rules } });

export const aTagMirrorSet = (name: string, rules: readonly Rule[], metadata?: Partial<ObjectMeta>) =>
  stored(kinds.ImageTagMirrorSet, { name, ...metadata }, { spec: { imageTagMirrors: rules } });

export const aContentSourcePolicy = (name: string, rules: readonly Rule[]) =>
  stored(kinds.ImageContentSourcePolicy, { name }, { spec: { repositoryDigestMirrors: rules } });

export const anImageConfig = (registrySources: Readonly<Record<string, readonly string[]>> = {}) =>
  stored(kinds.Image, { name: "cluster" }, { spec: { registrySources } });

export function aClusterVersion(
  image = `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`,
): KubernetesObject {
  const history = [{ state: "Completed", version: "4.20.3", image }];
  const status = { desired: { version: "4.20.3", image }, history };
  return stored(kinds.ClusterVersion, { name: "version" }, { spec: { channel: "stable-4.20" }, status });
}

/** A built-in pool that machine-config-operator writes for, or nobody. */
export function aVerifiedPool(name: string, metadata: Partial<ObjectMeta> = {}): KubernetesObject {
  const labels = { "machineconfiguration.openshift.io/mco-built-in": "" };
  return stored(kinds.MachineConfigPool, { name, labels, ...metadata }, { spec: {} });
}

/** A built-in pool that is handed over to hubrelay. */
export const aPool = (name: string, { annotations, ...metadata }: Partial<ObjectMeta> = {}) =>
  aVerifiedPool(name, { ...metadata, annotations: { [takeOverAnnotation]: "true", ...annotations } });
