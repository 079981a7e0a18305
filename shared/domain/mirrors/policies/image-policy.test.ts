import { describe, expect, test } from "vitest";
import { aClusterImagePolicy, certificate, publicKey, publicKeyTrust, simplePolicy } from "./fixtures.ts";
import { readImagePolicy } from "./image-policy.ts";

const fulcio = {
  fulcioCAData: certificate,
  rekorKeyData: publicKey,
  fulcioSubject: { oidcIssuer: "https://oidc.lab", signedEmail: "dev@lab.example" },
};
const pki = { caRootsData: certificate, pkiCertificateSubject: { email: "dev@lab.example" } };
const defaultIdentity = { type: "matchRepoDigestOrExact" };

const requirementOf = (policy: unknown) =>
  readImagePolicy(aClusterImagePolicy("p", ["q.io"], policy), "default").policy?.requirement;

const problems = (policy: unknown, scopes: unknown = ["q.io"], judge: "default" | "mco" = "default") =>
  readImagePolicy(aClusterImagePolicy("p", scopes, policy), judge).issues.map(
    ({ code, severity, path }) => `${severity} ${code} ${path}`,
  );

describe("readImagePolicy", () => {
  test.for([
    {
      name: "a public key",
      rootOfTrust: publicKeyTrust,
      requirement: { type: "sigstoreSigned", keyData: publicKey, signedIdentity: defaultIdentity },
    },
    {
      name: "a public key and a transparency log",
      rootOfTrust: { policyType: "PublicKey", publicKey: { keyData: publicKey, rekorKeyData: publicKey } },
      requirement: {
        type: "sigstoreSigned",
        keyData: publicKey,
        rekorPublicKeyData: publicKey,
        signedIdentity: defaultIdentity,
      },
    },
    {
      name: "a certificate authority with a transparency log",
      rootOfTrust: { policyType: "FulcioCAWithRekor", fulcioCAWithRekor: fulcio },
      requirement: {
        type: "sigstoreSigned",
        fulcio: { caData: certificate, oidcIssuer: "https://oidc.lab", subjectEmail: "dev@lab.example" },
        rekorPublicKeyData: publicKey,
        signedIdentity: defaultIdentity,
      },
    },
    {
      name: "own certificates",
      rootOfTrust: {
        policyType: "PKI",
        pki: {
          caRootsData: certificate,
          caIntermediatesData: certificate,
          pkiCertificateSubject: { email: "dev@lab.example", hostname: "*.lab.example" },
        },
      },
      requirement: {
        type: "sigstoreSigned",
        pki: {
          caRootsData: certificate,
          caIntermediatesData: certificate,
          subjectEmail: "dev@lab.example",
          subjectHostname: "*.lab.example",
        },
        signedIdentity: defaultIdentity,
      },
    },
  ])(
    "When the root of trust is $name, it should demand it in the library's order",
    ({ rootOfTrust, requirement }) => {
      expect(JSON.stringify(requirementOf({ rootOfTrust }))).toBe(JSON.stringify(requirement));
    },
  );

  test.for([
    { signedIdentity: undefined, expected: defaultIdentity },
    { signedIdentity: null, expected: defaultIdentity },
    { signedIdentity: { matchPolicy: "MatchRepoDigestOrExact" }, expected: defaultIdentity },
    { signedIdentity: { matchPolicy: "MatchRepository" }, expected: { type: "matchRepository" } },
    {
      signedIdentity: { matchPolicy: "ExactRepository", exactRepository: { repository: "q.io/x" } },
      expected: { type: "exactRepository", dockerRepository: "q.io/x" },
    },
    {
      signedIdentity: {
        matchPolicy: "RemapIdentity",
        remapIdentity: { prefix: "m.lab/x", signedPrefix: "q.io" },
      },
      expected: { type: "remapIdentity", prefix: "m.lab/x", signedPrefix: "q.io" },
    },
  ])("When the identity is $signedIdentity, it should render $expected", ({ signedIdentity, expected }) => {
    const requirement = requirementOf({ ...simplePolicy, signedIdentity });
    expect(JSON.stringify(requirement?.signedIdentity)).toBe(JSON.stringify(expected));
  });

  const root = "spec.policy.rootOfTrust";
  const identity = "spec.policy.signedIdentity";

  test.for<{ name: string; policy: unknown; issues: string[] }>([
    { name: "the policy is missing", policy: null, issues: ["spec.policy", root, `${root}.policyType`] },
    { name: "the root of trust is missing", policy: {}, issues: [root, `${root}.policyType`] },
    {
      name: "the type is unknown",
      policy: { rootOfTrust: { policyType: "GPG" } },
      issues: [`${root}.policyType`],
    },
    {
      name: "the key is missing",
      policy: { rootOfTrust: { policyType: "PublicKey" } },
      issues: [`${root}.publicKey`, `${root}.publicKey.keyData`],
    },
    {
      name: "the key is no base64",
      policy: { rootOfTrust: { policyType: "PublicKey", publicKey: { keyData: "-----BEGIN" } } },
      issues: [`${root}.publicKey.keyData`],
    },
    {
      name: "the key is a number",
      policy: { rootOfTrust: { policyType: "PublicKey", publicKey: { keyData: 5 } } },
      issues: [`${root}.publicKey.keyData`],
    },
    {
      name: "all of a certificate authority is missing",
      policy: { rootOfTrust: { policyType: "FulcioCAWithRekor", fulcioCAWithRekor: {} } },
      issues: [
        "fulcioSubject",
        "fulcioCAData",
        "rekorKeyData",
        "fulcioSubject.oidcIssuer",
        "fulcioSubject.signedEmail",
      ].map((field) => `${root}.fulcioCAWithRekor.${field}`),
    },
    {
      name: "a certificate has no subject",
      policy: { rootOfTrust: { policyType: "PKI", pki: { ...pki, pkiCertificateSubject: {} } } },
      issues: [`${root}.pki.pkiCertificateSubject`],
    },
    {
      name: "the match policy is unknown",
      policy: { ...simplePolicy, signedIdentity: { matchPolicy: "Any" } },
      issues: [`${identity}.matchPolicy`],
    },
    {
      name: "the exact repository has a tag",
      policy: {
        ...simplePolicy,
        signedIdentity: { matchPolicy: "ExactRepository", exactRepository: { repository: "q.io/x:1" } },
      },
      issues: [`${identity}.exactRepository.repository`],
    },
    {
      name: "a prefix is missing",
      policy: { ...simplePolicy, signedIdentity: { matchPolicy: "RemapIdentity", remapIdentity: {} } },
      issues: [`${identity}.remapIdentity.prefix`, `${identity}.remapIdentity.signedPrefix`],
    },
  ])("When $name, it should refuse the policy and name $issues", ({ policy, issues }) => {
    const expected = issues.map((path) => `error InvalidImagePolicy ${path}`);
    expect(problems(policy)).toEqual(expected);
    expect(problems(policy, ["q.io"], "mco")).toEqual(expected);
    expect(requirementOf(policy)).toBeUndefined();
  });

  test.for<{ name: string; policy?: unknown; scopes?: unknown; path: string }>([
    { name: "a scope has no host", scopes: ["q.io", "alpine"], path: "spec.scopes[1]" },
    { name: "a scope is listed twice", scopes: ["q.io", "q.io"], path: "spec.scopes[1]" },
    {
      name: "there are too many scopes",
      scopes: Array.from({ length: 257 }, (_, index) => `q.io/${index}`),
      path: "spec.scopes",
    },
    {
      name: "the data is no key",
      policy: { rootOfTrust: { policyType: "PublicKey", publicKey: { keyData: certificate } } },
      path: `${root}.publicKey.keyData`,
    },
    {
      name: "the data is too long",
      policy: {
        rootOfTrust: {
          policyType: "PublicKey",
          publicKey: {
            keyData: Buffer.from(
              `-----BEGIN PUBLIC KEY-----\n${"A".repeat(8192)}\n-----END PUBLIC KEY-----`,
            ).toString("base64"),
          },
        },
      },
      path: `${root}.publicKey.keyData`,
    },
    {
      name: "the issuer is no URL",
      policy: {
        rootOfTrust: {
          policyType: "FulcioCAWithRekor",
          fulcioCAWithRekor: { ...fulcio, fulcioSubject: { ...fulcio.fulcioSubject, oidcIssuer: "lab" } },
        },
      },
      path: `${root}.fulcioCAWithRekor.fulcioSubject.oidcIssuer`,
    },
    {
      name: "the signer has no email address",
      policy: {
        rootOfTrust: {
          policyType: "FulcioCAWithRekor",
          fulcioCAWithRekor: { ...fulcio, fulcioSubject: { ...fulcio.fulcioSubject, signedEmail: "dev" } },
        },
      },
      path: `${root}.fulcioCAWithRekor.fulcioSubject.signedEmail`,
    },
    {
      name: "the subject has no email address",
      policy: {
        rootOfTrust: { policyType: "PKI", pki: { ...pki, pkiCertificateSubject: { email: "dev" } } },
      },
      path: `${root}.pki.pkiCertificateSubject.email`,
    },
  ])(
    "When $name, it should leave the refusal to the API server with mco alone",
    ({ policy, scopes, path }) => {
      expect(problems(policy ?? simplePolicy, scopes)).toEqual([`error InvalidImagePolicy ${path}`]);
      expect(problems(policy ?? simplePolicy, scopes, "mco")).toEqual([`warning InvalidImagePolicy ${path}`]);
    },
  );

  test.for([
    { scopes: null, path: "spec.scopes" },
    { scopes: ["q.io", ""], path: "spec.scopes[1]" },
    { scopes: [7], path: "spec.scopes[0]" },
  ])("When the scopes are $scopes, it should refuse the policy", ({ scopes, path }) => {
    expect(problems(simplePolicy, scopes, "mco")).toEqual([`error InvalidImagePolicy ${path}`]);
  });

  test("When base64 has line breaks, it should write it without", () => {
    const keyData = publicKey.replace(/.{16}/g, "$&\n");
    expect(requirementOf({ rootOfTrust: { policyType: "PublicKey", publicKey: { keyData } } })).toMatchObject(
      {
        keyData: publicKey,
      },
    );
  });

  test("When the spec is missing, it should refuse the policy without throwing", () => {
    const { spec: _, ...bare } = aClusterImagePolicy("p", []);
    expect(readImagePolicy(bare, "mco").policy).toBeUndefined();
  });
});
