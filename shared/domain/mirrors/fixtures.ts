import type { KubernetesObject, ObjectMeta } from "../kubernetes/object.ts";
import { configureMirrors, type MirrorInput, type MirrorOptions } from "./configuration.ts";
import type { MirrorRule, PullKind } from "./input/rules.ts";

/* Objects and rules for tests. */

export type RuleSpec = Readonly<{ source: string; mirrors?: readonly string[]; mirrorSourcePolicy?: string }>;

export function anImageDigestMirrorSet(name: string, rules: readonly unknown[]): KubernetesObject {
  return {
    apiVersion: "config.openshift.io/v1",
    kind: "ImageDigestMirrorSet",
    metadata: { name },
    spec: { imageDigestMirrors: rules },
  };
}

export function anImageTagMirrorSet(name: string, rules: readonly unknown[]): KubernetesObject {
  return {
    apiVersion: "config.openshift.io/v1",
    kind: "ImageTagMirrorSet",
    metadata: { name },
    spec: { imageTagMirrors: rules },
  };
}

export function anImageContentSourcePolicy(name: string, rules: readonly unknown[]): KubernetesObject {
  return {
    apiVersion: "operator.openshift.io/v1alpha1",
    kind: "ImageContentSourcePolicy",
    metadata: { name },
    spec: { repositoryDigestMirrors: rules },
  };
}

export function anImageSourceDigestPolicy(name: string, rules: readonly unknown[]): KubernetesObject {
  const spec = { repositoryDigestMirrors: rules };
  return { apiVersion: "config.openshift.io/v1", kind: "ImageSourceDigestPolicy", metadata: { name }, spec };
}

export function anImageSourceTagPolicy(name: string, rules: readonly unknown[]): KubernetesObject {
  const spec = { repositoryTagMirrors: rules };
  return { apiVersion: "config.openshift.io/v1", kind: "ImageSourceTagPolicy", metadata: { name }, spec };
}

/** An ImageContentSourcePolicy with other metadata besides its name. */
export const withMetadata = (
  metadata: Partial<ObjectMeta> & Readonly<Record<string, unknown>>,
): KubernetesObject => {
  const policy = anImageContentSourcePolicy("acme", [{ source: "quay.io/a", mirrors: ["m.lab/a"] }]);
  return { ...policy, metadata: { ...policy.metadata, ...metadata } };
};

/** Returns the Image configuration with these lists in `spec.registrySources`. */
export function anImage(registrySources: Readonly<Record<string, unknown>>): KubernetesObject {
  return {
    apiVersion: "config.openshift.io/v1",
    kind: "Image",
    metadata: { name: "cluster", uid: "9f1d5a5e-0000-4000-8000-000000000001" },
    spec: { registrySources },
  };
}

export function aClusterVersion(image: unknown): KubernetesObject {
  return {
    apiVersion: "config.openshift.io/v1",
    kind: "ClusterVersion",
    metadata: { name: "version" },
    status: { desired: { image } },
  };
}

export const payloadRepository = "quay.io/openshift-release-dev/ocp-release";
/** OpenShift's own image registry, which an allowed list should have. */
export const internalRegistry = "image-registry.openshift-image-registry.svc:5000";
/** The repository of OpenShift's components. */
export const componentRepository = "quay.io/openshift-release-dev/ocp-v4.0-art-dev";
export const releaseImage = `${payloadRepository}@sha256:${"5".repeat(64)}`;

const lists: Record<PullKind, string> = {
  digest: "imageDigestMirrors",
  tag: "imageTagMirrors",
  any: "repositoryTagMirrors",
};

/** Returns a rule as if it had been read from an object of its own. */
export function aRule(
  source: string,
  mirrors: readonly string[],
  { pullKind = "digest", policy = "AllowContactingSource" }: Partial<MirrorRule> = {},
): MirrorRule {
  const object = anImageDigestMirrorSet("acme", []);
  return { pullKind, source, mirrors, policy, origin: { object, list: lists[pullKind], index: 0 } };
}

/** Returns a line for each issue of a configuration: severity, code, name of the object and path. */
export function issueLines(input: MirrorInput, options?: MirrorOptions): readonly string[] {
  return configureMirrors(input, options).issues.map(({ code, severity, object, path }) =>
    [severity, code, object.name, path].join(" "),
  );
}
