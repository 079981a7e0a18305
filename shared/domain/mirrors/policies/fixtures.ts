import type { KubernetesObject } from "../../kubernetes/object.ts";
import { clusterReleases } from "../../openshift/releases/cluster-releases.ts";
import { ownForm } from "../../openshift/releases/machine-config-operator.ts";
import { anImage } from "../fixtures.ts";
import type { ListedScope } from "../input/read-image.ts";
import { scopePolicies } from "./plan-policies.ts";
import { readImagePolicies } from "./read-policies.ts";

/* Image policies for tests. */

export const pem = (label: string, content: string): string =>
  Buffer.from(`-----BEGIN ${label}-----\n${content}\n-----END ${label}-----\n`).toString("base64");

/** A key of the curve P-256. */
export const publicKey = pem(
  "PUBLIC KEY",
  "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEH6xasPJA+Cit8UN5xIX4LIhMn0o5\n" +
    "QsXhHi/mQahdOtFB6X8kjkQELGhYHDZuIdwIoGCEkr6DpL3ztrHQ8oOigw==",
);
/** The certificate of an authority with `publicKey`. */
export const certificate = pem(
  "CERTIFICATE",
  "MIIBdzCCAR2gAwIBAgIUN9G8H94JKGc/4Immcu/b9YzdGZ0wCgYIKoZIzj0EAwIw\n" +
    "EDEOMAwGA1UEAwwFdGVzdHMwIBcNMjYxMTI4MTY1OTUyWhgPMjEyNjExMDQxNjU5\n" +
    "NTJaMBAxDjAMBgNVBAMMBXRlc3RzMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n" +
    "H6xasPJA+Cit8UN5xIX4LIhMn0o5QsXhHi/mQahdOtFB6X8kjkQELGhYHDZuIdwI\n" +
    "oGCEkr6DpL3ztrHQ8oOig6NTMFEwHQYDVR0OBBYEFHwj6PSBYVr65wjgUw/29U/v\n" +
    "iOQ5MB8GA1UdIwQYMBaAFHwj6PSBYVr65wjgUw/29U/viOQ5MA8GA1UdEwEB/wQF\n" +
    "MAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgEmofiZF33nEynP60O2WmaesrS/JceDyO\n" +
    "4djSyBc7m/MCIQD+ru3NhQmfH6aEklLXxMsbsheFW2jNKejRBnokhGKuvg==",
);

export const publicKeyTrust = { policyType: "PublicKey", publicKey: { keyData: publicKey } };

/** The members of a root of trust for certificates. */
export const fulcio = {
  fulcioCAData: certificate,
  rekorKeyData: publicKey,
  fulcioSubject: { oidcIssuer: "https://oidc.lab", signedEmail: "dev@lab.example" },
};
export const pki = { caRootsData: certificate, pkiCertificateSubject: { email: "dev@lab.example" } };

/** The `spec.policy` of most tests. */
export const simplePolicy = { rootOfTrust: publicKeyTrust };

/** The rendered form of `simplePolicy`. */
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

/** The repository of the release image in a policy plan. */
export const payload = "quay.io/rel/ocp";

/** Scopes of an Image object and of policies, by name. */
export type GivenPolicies = Readonly<{
  blocked?: string[];
  allowed?: string[];
  /** Blocked scopes that contain the payload, which has a mirror. */
  containing?: string[];
  cluster?: Record<string, string[]>;
  namespaced?: Record<string, string[]>;
}>;

const listed = (list: string, scopes: readonly string[]): readonly ListedScope[] =>
  scopes.map((scope, index) => ({ scope, path: `spec.registrySources.${list}[${index}]` }));

/** Returns the input of the planner. */
export const policyInput = ({
  blocked = [],
  allowed = [],
  containing = [],
  cluster = {},
  namespaced = {},
}: GivenPolicies) => {
  const objects = [
    ...Object.entries(cluster).map(([name, scopes]) => aClusterImagePolicy(name, scopes)),
    ...Object.entries(namespaced).map(([key, scopes]) => {
      const [namespace = "", name = ""] = key.split("/");
      return anImagePolicy(namespace, name, scopes);
    }),
  ];
  const read = readImagePolicies(objects, {
    refusing: "anyone",
    releases: clusterReleases(undefined),
    form: ownForm,
  });
  return {
    image: anImage({}),
    refusing: "anyone" as const,
    payload,
    needed: [payload],
    blocked: listed("blockedRegistries", blocked),
    allowed: listed("allowedRegistries", allowed),
    containing: listed("blockedRegistries", containing),
    policies: scopePolicies(read.cluster, read.namespaced),
  };
};
