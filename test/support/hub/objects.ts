import { takeOverAnnotation } from "#shared/domain/issues/annotations.ts";
import type { KubernetesObject, ObjectMeta } from "#shared/domain/kubernetes/object.ts";

/** Returns objects as a hub does: with uid, resourceVersion and generation, unless a test sets others. */
function stored(
  apiVersion: string,
  kind: string,
  name: string,
  spec: unknown,
  metadata: Partial<ObjectMeta> = {},
): KubernetesObject {
  return {
    apiVersion,
    kind,
    metadata: { name, uid: `uid-of-${kind}-${name}`, resourceVersion: "1", generation: 1, ...metadata },
    spec,
  };
}

/** An owner that does not exist: what it owns is deleted. */
export const anOwner = { apiVersion: "v1", kind: "ConfigMap", name: "missing", uid: "0-0" };

export const ownedByAnother = (object: KubernetesObject): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, ownerReferences: [anOwner] },
});

type Rule = Readonly<{ source: string; mirrors?: readonly string[]; mirrorSourcePolicy?: string }>;

export const aDigestMirrorSet = (name: string, rules: readonly Rule[], metadata?: Partial<ObjectMeta>) =>
  stored("config.openshift.io/v1", "ImageDigestMirrorSet", name, { imageDigestMirrors: rules }, metadata);

export const aTagMirrorSet = (name: string, rules: readonly Rule[], metadata?: Partial<ObjectMeta>) =>
  stored("config.openshift.io/v1", "ImageTagMirrorSet", name, { imageTagMirrors: rules }, metadata);

export const aContentSourcePolicy = (name: string, rules: readonly Rule[], metadata?: Partial<ObjectMeta>) =>
  stored(
    "operator.openshift.io/v1alpha1",
    "ImageContentSourcePolicy",
    name,
    { repositoryDigestMirrors: rules },
    metadata,
  );

export const anImageConfig = (registrySources: Readonly<Record<string, readonly string[]>> = {}) =>
  stored("config.openshift.io/v1", "Image", "cluster", { registrySources });

export const aClusterVersion = (
  image = `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`,
): KubernetesObject => ({
  ...stored("config.openshift.io/v1", "ClusterVersion", "version", { channel: "stable-4.20" }),
  status: {
    desired: { version: "4.20.3", image },
    history: [{ state: "Completed", version: "4.20.3", image }],
  },
});

/** A built-in pool that machine-config-operator writes for, or nobody. */
export const aVerifiedPool = (name: string, metadata: Partial<ObjectMeta> = {}) =>
  stored(
    "machineconfiguration.openshift.io/v1",
    "MachineConfigPool",
    name,
    {},
    { labels: { "machineconfiguration.openshift.io/mco-built-in": "" }, ...metadata },
  );

/** A built-in pool that is handed over to hubrelay. */
export const aPool = (name: string, { annotations, ...metadata }: Partial<ObjectMeta> = {}) =>
  aVerifiedPool(name, { ...metadata, annotations: { [takeOverAnnotation]: "true", ...annotations } });
