import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { certificate, publicKey as keyData } from "#shared/domain/mirrors/policies/fixtures.ts";

/*
 * Content that the examples lack and a fuzzer would take long to reach: the earlier kinds, image policies with every
 * root of trust and every identity, and kinds that people confuse with others.
 */

const config = "config.openshift.io/v1";
const operator = "operator.openshift.io/v1alpha1";

const seed = (
  apiVersion: string,
  kind: string,
  spec: unknown,
  metadata: KubernetesObject["metadata"] = { name: "seed" },
): KubernetesObject => ({ apiVersion, kind, metadata, spec });

const rule = { source: "quay.io/acme/seed", mirrors: ["mirror.example.com/acme/seed"] };

const publicKey = { policyType: "PublicKey", publicKey: { keyData, rekorKeyData: keyData } };
const fulcio = {
  policyType: "FulcioCAWithRekor",
  fulcioCAWithRekor: {
    fulcioCAData: certificate,
    rekorKeyData: keyData,
    fulcioSubject: { oidcIssuer: "https://issuer.example.com", signedEmail: "release@example.com" },
  },
};
const pki = {
  policyType: "PKI",
  pki: {
    caRootsData: certificate,
    caIntermediatesData: certificate,
    pkiCertificateSubject: { email: "release@example.com", hostname: "release.example.com" },
  },
};
const remapIdentity = {
  matchPolicy: "RemapIdentity",
  remapIdentity: { prefix: "quay.io/acme", signedPrefix: "registry.example.com/acme" },
};
const exactRepository = {
  matchPolicy: "ExactRepository",
  exactRepository: { repository: "registry.example.com/acme/seed" },
};

const policy = (rootOfTrust: unknown, signedIdentity: unknown) => ({
  scopes: ["quay.io/acme", "*.acme.example.com"],
  policy: { rootOfTrust, signedIdentity },
});
const inNamespace = { name: "seed", namespace: "acme" };

/** The manifests that mutation starts from, besides the examples. */
export const seeds: readonly KubernetesObject[] = [
  seed(config, "ImageTagMirrorSet", {
    imageTagMirrors: [{ ...rule, mirrorSourcePolicy: "NeverContactSource" }],
  }),
  seed(operator, "ImageContentSourcePolicy", { repositoryDigestMirrors: [rule, rule] }),
  seed(config, "ImageSourceDigestPolicy", { repositoryDigestMirrors: [rule] }),
  seed(operator, "ImageSourceDigestPolicy", { repositoryDigestMirrors: [rule] }),
  seed(config, "ImageSourceTagPolicy", { repositoryTagMirrors: [rule] }),
  seed(operator, "ImageSourceTagPolicy", { repositoryTagMirrors: [rule] }),
  seed(config, "ClusterImagePolicy", policy(publicKey, { matchPolicy: "MatchRepository" })),
  seed(config, "ClusterImagePolicy", policy(fulcio, remapIdentity)),
  seed(config, "ClusterImagePolicy", policy(pki, exactRepository)),
  seed(config, "ImagePolicy", policy(publicKey, { matchPolicy: "MatchRepoDigestOrExact" }), inNamespace),
  seed(config, "ImagePolicy", policy(fulcio, exactRepository), inNamespace),
  seed(config, "ImagePolicy", policy(pki, remapIdentity), inNamespace),
  seed(config, "ImageDigestMirrorSet", { repositoryDigestMirrors: [rule] }),
  seed(operator, "ImageDigestMirrorSet", { imageDigestMirrors: [rule] }),
  seed(config, "ImageTagMirrors", { imageTagMirrors: [rule] }),
  seed(config, "ImageContentPolicy", { repositoryDigestMirrors: [rule] }),
];
