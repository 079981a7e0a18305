import { fieldIssue, type Issue } from "../issues/issue.ts";
import { fieldsOf } from "../json/values.ts";
import { isKind, kinds } from "../kubernetes/kinds.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";

export const signatureNamespace = "openshift-config-managed";
export const signatureLabel = "release.openshift.io/verification-signatures";

/** Reports whether this is a ConfigMap with signatures of releases, which the Cluster Version Operator reads. */
export function isSignatureConfigMap(object: KubernetesObject): boolean {
  const { namespace, labels = {} } = object.metadata;
  return isKind(kinds.ConfigMap, object) && namespace === signatureNamespace && signatureLabel in labels;
}

/** Returns the digests of releases of which these ConfigMaps hold a signature: keys are `sha256-DIGEST-NUMBER`. */
export function signedDigests(objects: readonly KubernetesObject[]): ReadonlySet<string> {
  const keys = objects
    .filter(isSignatureConfigMap)
    .flatMap(({ data, binaryData }) => [data, binaryData].flatMap((field) => Object.keys(fieldsOf(field))));
  return new Set(
    keys.flatMap((key) => {
      const [, digest] = /^sha256-([0-9a-f]{64})(?:-|$)/.exec(key) ?? [];
      return digest === undefined ? [] : [`sha256:${digest}`];
    }),
  );
}

/** Returns the issue of a release without a signature: an error only where nothing can be read from the internet. */
export function unsignedRelease(release: string, digest: string, isDisconnected: boolean): Issue {
  return fieldIssue({ kind: "Release", name: release }, "", digest, {
    code: "ReleaseNotSigned",
    severity: isDisconnected ? "error" : "warning",
    message: `No ConfigMap in ${signatureNamespace} has a signature of this release, so that a cluster without access to the internet refuses the update`,
    remedy:
      "Apply the signature-configmap.yaml that oc-mirror writes; hubrelay import has it in the first wave.",
  });
}
