import type { KubernetesObject } from "../../kubernetes/object.ts";

/* Image policies for tests. */

const pem = (label: string): string =>
  Buffer.from(`-----BEGIN ${label}-----\nZm9yIHRlc3RzIG9ubHk=\n-----END ${label}-----\n`).toString("base64");

export const publicKey = pem("PUBLIC KEY");
export const certificate = pem("CERTIFICATE");

export const publicKeyTrust = { policyType: "PublicKey", publicKey: { keyData: publicKey } };

/** The `spec.policy` that most tests need. */
export const simplePolicy = { rootOfTrust: publicKeyTrust };

/** What `simplePolicy` is rendered to. */
export const simpleRequirement = {
  type: "sigstoreSigned",
  keyData: publicKey,
  signedIdentity: { type: "matchRepoDigestOrExact" },
} as const;

export function aClusterImagePolicy(
  name: string,
  scopes: unknown,
  policy: unknown = simplePolicy,
): KubernetesObject {
  return {
    apiVersion: "config.openshift.io/v1",
    kind: "ClusterImagePolicy",
    metadata: { name },
    spec: { scopes, policy },
  };
}

export function anImagePolicy(
  namespace: string,
  name: string,
  scopes: unknown,
  policy: unknown = simplePolicy,
): KubernetesObject {
  return {
    apiVersion: "config.openshift.io/v1",
    kind: "ImagePolicy",
    metadata: { namespace, name },
    spec: { scopes, policy },
  };
}
