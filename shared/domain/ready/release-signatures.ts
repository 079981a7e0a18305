import { isDigest } from "../images/image-reference.ts";
import type { Unread } from "../issues/coverage.ts";
import { fieldIssue, type Issue } from "../issues/issue.ts";
import { fieldsOf } from "../kubernetes/json/values.ts";
import { isKind, type KubernetesObject, kinds } from "../kubernetes/object.ts";

export const signatureNamespace = "openshift-config-managed";
export const signatureLabel = "release.openshift.io/verification-signatures";

/** Reports whether an object is a ConfigMap with release signatures, which the Cluster Version Operator reads. */
export function isSignatureConfigMap(object: KubernetesObject): boolean {
  const { namespace, labels = {} } = object.metadata;
  return isKind(kinds.ConfigMap, object) && namespace === signatureNamespace && signatureLabel in labels;
}

/** The keys of the ConfigMaps have the form `sha256-DIGEST-NUMBER`. */
function signedDigests(configMaps: readonly KubernetesObject[]): ReadonlySet<string> {
  const keys = configMaps.flatMap(({ data, binaryData }) =>
    [data, binaryData].flatMap((field) => Object.keys(fieldsOf(field))),
  );
  return new Set(
    keys.flatMap((key) => {
      const [, digest] = /^sha256-([0-9a-f]{64})(?:-|$)/.exec(key) ?? [];
      return digest === undefined ? [] : [`sha256:${digest}`];
    }),
  );
}

/** The issue is an error if the cluster is disconnected, because such a cluster cannot download the signature. */
function unsignedRelease(release: string, digest: string, isDisconnected: boolean): Issue {
  return fieldIssue({ kind: "Release", name: release }, "", digest, {
    code: "ReleaseNotSigned",
    severity: isDisconnected ? "error" : "warning",
    message: `No ConfigMap in ${signatureNamespace} has a signature of this release, so that a cluster without access to the internet refuses the update`,
    remedy:
      "Apply the signature-configmap.yaml that oc-mirror writes; hubrelay import has it in the first wave.",
  });
}

type KnownSignatures = Readonly<{
  /** All ConfigMaps; undefined without permission to read them. */
  configMaps: readonly KubernetesObject[] | undefined;
  /** True if the ConfigMaps are from manifests, which need not include signatures. */
  isOfManifests: boolean;
  isDisconnected: boolean;
}>;

/** Returns issues about unsigned releases, and how many releases could not be checked. */
export function checkSignatures(
  releases: readonly string[],
  { configMaps, isOfManifests, isDisconnected }: KnownSignatures,
): Readonly<{ issues: readonly Issue[]; unread: readonly Unread[] }> {
  const unchecked = (count: number, why: Unread["why"]): readonly Unread[] =>
    count > 0 ? [{ what: "signature of a release", count, why }] : [];
  if (!configMaps) return { issues: [], unread: unchecked(releases.length, "permission") };
  const found = configMaps.filter(isSignatureConfigMap);
  const isKnown = !isOfManifests || isDisconnected || found.length > 0;
  if (!isKnown) return { issues: [], unread: unchecked(releases.length, "not-checked") };
  const signed = signedDigests(found);
  const named = releases.flatMap((release) => {
    const [, digest = ""] = release.split("@");
    return isDigest(digest) ? [{ release, digest }] : [];
  });
  return {
    issues: named
      .filter(({ digest }) => !signed.has(digest))
      .map(({ release, digest }) => unsignedRelease(release, digest, isDisconnected)),
    unread: unchecked(releases.length - named.length, "not-checked"),
  };
}
