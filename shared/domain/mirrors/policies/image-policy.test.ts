import { describe, expect, test } from "vitest";
import {
  aClusterImagePolicy,
  certificate,
  fulcio,
  pki,
  publicKey,
  publicKeyTrust,
  simplePolicy,
} from "./fixtures.ts";
import { readImagePolicy } from "./read-policies.ts";

const defaultIdentity = { type: "matchRepoDigestOrExact" };

const requirementOf = (policy: unknown) =>
  readImagePolicy(aClusterImagePolicy("p", ["q.io"], policy), "anyone").policy?.requirement;

const problems = (policy: unknown, scopes: unknown = ["q.io"], refusing: "anyone" | "operator" = "anyone") =>
  readImagePolicy(aClusterImagePolicy("p", scopes, policy), refusing).issues.map(
    ({ code, severity, path, message }) => `${severity} ${code} ${path}:${message.replace(path, "")}`,
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

  const object = "must be an object";
  const text = "must be a string that is not empty";
  const type = "must be PublicKey, FulcioCAWithRekor or PKI";
  const prefix = "must be host[:port][/path] with a full host name, without tag or digest";
  const trusting = (keyData: unknown) => ({
    rootOfTrust: { policyType: "PublicKey", publicKey: { keyData } },
  });

  test.for<[name: string, policy: unknown, issues: string[]]>([
    ["the policy is missing", null, [`spec.policy: ${object}`]],
    ["the root of trust is missing", {}, [`${root}: ${object}`]],
    ["the type is unknown", { rootOfTrust: { policyType: "GPG" } }, [`${root}.policyType: ${type}`]],
    ["the key is missing", { rootOfTrust: { policyType: "PublicKey" } }, [`${root}.publicKey: ${object}`]],
    ["the key is empty", trusting(""), [`${root}.publicKey.keyData: ${text}`]],
    ["the key is not base64", trusting("-----BEGIN"), [`${root}.publicKey.keyData: must be base64`]],
    [
      "the key's base64 was cut off",
      trusting(publicKey.slice(0, -1)),
      [`${root}.publicKey.keyData: must be base64`],
    ],
    [
      "the log's key is not base64",
      {
        rootOfTrust: { policyType: "PublicKey", publicKey: { keyData: publicKey, rekorKeyData: "-" } },
      },
      [`${root}.publicKey.rekorKeyData: must be base64`],
    ],
    [
      "all of a certificate authority is missing",
      { rootOfTrust: { policyType: "FulcioCAWithRekor", fulcioCAWithRekor: {} } },
      [`fulcioCAData: ${text}`, `rekorKeyData: ${text}`, `fulcioSubject: ${object}`].map(
        (issue) => `${root}.fulcioCAWithRekor.${issue}`,
      ),
    ],
    [
      "a certificate has no subject",
      { rootOfTrust: { policyType: "PKI", pki: { ...pki, pkiCertificateSubject: {} } } },
      [`${root}.pki.pkiCertificateSubject: must have an email or a hostname`],
    ],
    [
      "own certificates are not base64",
      {
        rootOfTrust: {
          policyType: "PKI",
          pki: { ...pki, caRootsData: "-", caIntermediatesData: "-" },
        },
      },
      [`${root}.pki.caRootsData: must be base64`, `${root}.pki.caIntermediatesData: must be base64`],
    ],
    [
      "the match policy is unknown",
      { ...simplePolicy, signedIdentity: { matchPolicy: "Any" } },
      [
        `${identity}.matchPolicy: must be MatchRepoDigestOrExact, MatchRepository, ExactRepository or RemapIdentity`,
      ],
    ],
    [
      "the exact repository has a tag",
      {
        ...simplePolicy,
        signedIdentity: { matchPolicy: "ExactRepository", exactRepository: { repository: "q.io/x:1" } },
      },
      [`${identity}.exactRepository.repository: ${prefix}`],
    ],
    [
      "a prefix is missing",
      { ...simplePolicy, signedIdentity: { matchPolicy: "RemapIdentity", remapIdentity: {} } },
      [`${identity}.remapIdentity.prefix: ${text}`, `${identity}.remapIdentity.signedPrefix: ${text}`],
    ],
  ])("When $0, it should refuse the policy and name $2", ([, policy, issues]) => {
    const expected = issues.map((issue) => `error InvalidImagePolicy ${issue}`);
    expect(problems(policy)).toEqual(expected);
    expect(problems(policy, ["q.io"], "operator")).toEqual(expected);
    expect(requirementOf(policy)).toBeUndefined();
  });

  const scopeFormat = "must be host[:port][/path][:tag][@digest] or *.domain";
  const keyOf = (lines: string, encoding?: "latin1") => Buffer.from(lines, encoding).toString("base64");
  /** Two certificates with as many line breaks between them as make this many characters of base64. */
  const bundleOf = (length: number) => {
    const text = Buffer.from(certificate, "base64").toString();
    return keyOf(text + "\n".repeat((length * 3) / 4 - 2 * text.length) + text);
  };
  const signedBy = (subject: object) => ({
    rootOfTrust: {
      policyType: "FulcioCAWithRekor",
      fulcioCAWithRekor: { ...fulcio, fulcioSubject: { ...fulcio.fulcioSubject, ...subject } },
    },
  });
  const certifiedFor = (pkiCertificateSubject: object) => ({
    rootOfTrust: { policyType: "PKI", pki: { ...pki, pkiCertificateSubject } },
  });
  const noKey = 'publicKey.keyData: must be base64 of a PEM block "PUBLIC KEY"';
  const noEmail = "must be an email address";

  test.for<{ name: string; policy?: unknown; scopes?: unknown; issue: string }>([
    { name: "a scope has no host", scopes: ["q.io", "alpine"], issue: `spec.scopes[1]: ${scopeFormat}` },
    {
      name: "a scope is listed twice",
      scopes: ["q.io", "q.io"],
      issue: "spec.scopes[1]: must not be listed twice",
    },
    {
      name: "there are too many scopes",
      scopes: Array.from({ length: 257 }, (_, index) => `q.io/${index}`),
      issue: "spec.scopes: must have at most 256 scopes",
    },
    { name: "the data is not a key", policy: trusting(certificate), issue: `${root}.${noKey}` },
    {
      name: "the key ends as something else",
      policy: trusting(keyOf("-----BEGIN PUBLIC KEY-----\nQUFB\n-----END CERTIFICATE-----\n")),
      issue: `${root}.${noKey}`,
    },
    {
      name: "text follows the key",
      policy: trusting(keyOf("-----BEGIN PUBLIC KEY-----\nQUFB\n-----END PUBLIC KEY-----\nmore")),
      issue: `${root}.${noKey}`,
    },
    {
      name: "optional data is empty",
      policy: {
        rootOfTrust: { policyType: "PublicKey", publicKey: { keyData: publicKey, rekorKeyData: "" } },
      },
      issue: `${root}.publicKey.rekorKeyData: ${text}`,
    },
    {
      name: "the data has line breaks",
      policy: trusting(publicKey.replace(/.{16}/g, "$&\n")),
      issue: `${root}.publicKey.keyData: must be base64 without line breaks`,
    },
    {
      name: "the borders of the key share their dashes",
      policy: trusting(keyOf("-----BEGIN PUBLIC KEY-----END PUBLIC KEY-----")),
      issue: `${root}.${noKey}`,
    },
    {
      name: "a certificate of a bundle has no end",
      policy: {
        rootOfTrust: {
          policyType: "PKI",
          pki: {
            ...pki,
            caRootsData: keyOf(`-----BEGIN CERTIFICATE-----\n${Buffer.from(certificate, "base64")}`),
          },
        },
      },
      issue: `${root}.pki.caRootsData: must be base64 of a PEM block "CERTIFICATE"`,
    },
    {
      name: "the data is no text",
      policy: trusting(keyOf(`-----BEGIN PUBLIC KEY-----\n\xff\n-----END PUBLIC KEY-----`, "latin1")),
      issue: `${root}.${noKey}`,
    },
    {
      name: "a key stands beside own certificates",
      policy: { rootOfTrust: { policyType: "PKI", pki, publicKey: { keyData: publicKey } } },
      issue: `${root}.publicKey: must not be set: policyType is PKI`,
    },
    {
      name: "an exact repository stands beside another way to match",
      policy: {
        ...simplePolicy,
        signedIdentity: { matchPolicy: "MatchRepository", exactRepository: { repository: "q.io/x" } },
      },
      issue: `${identity}.exactRepository: must not be set: matchPolicy is MatchRepository`,
    },
    {
      name: "a host has upper case",
      policy: certifiedFor({ hostname: "Build.lab.example" }),
      issue: `${root}.pki.pkiCertificateSubject.hostname: must be a DNS name in lower case, or *. and one`,
    },
    {
      name: "the data is too long",
      policy: { rootOfTrust: { policyType: "PKI", pki: { ...pki, caRootsData: bundleOf(8196) } } },
      issue: `${root}.pki.caRootsData: must have at most 8192 characters`,
    },
    {
      name: "the issuer is not a URL",
      policy: signedBy({ oidcIssuer: "lab" }),
      issue: `${root}.fulcioCAWithRekor.fulcioSubject.oidcIssuer: must be a URL`,
    },
    ...["dev", "a dev@lab", "dev@lab b", `${"d".repeat(317)}@lab`].map((signedEmail) => ({
      name: `the signer's email address is ${signedEmail}`,
      policy: signedBy({ signedEmail }),
      issue: `${root}.fulcioCAWithRekor.fulcioSubject.signedEmail: ${noEmail}`,
    })),
    {
      name: "the subject has no email address",
      policy: certifiedFor({ email: "dev" }),
      issue: `${root}.pki.pkiCertificateSubject.email: ${noEmail}`,
    },
  ])(
    "When $name, it should leave the refusal to the API server only with mco",
    ({ policy = simplePolicy, scopes = ["q.io"], issue }) => {
      expect(problems(policy, scopes)).toEqual([`error InvalidImagePolicy ${issue}`]);
      expect(problems(policy, scopes, "operator")).toEqual([`warning InvalidImagePolicy ${issue}`]);
      const given = aClusterImagePolicy("p", scopes, policy);
      // Valid scopes get a valid requirement all the same.
      expect(readImagePolicy(given, "anyone").policy !== undefined).toBe(policy === simplePolicy);
      expect(readImagePolicy(given, "operator").policy).toBeDefined();
    },
  );

  test.for<[name: string, policy?: unknown | undefined, scopes?: unknown | undefined]>([
    [
      "it has as many scopes as are allowed",
      undefined,
      Array.from({ length: 256 }, (_, index) => `q.io/${index}`),
    ],
    [
      "its data is as long as is allowed",
      { rootOfTrust: { policyType: "PKI", pki: { ...pki, caRootsData: bundleOf(8192) } } },
    ],
    ["its email address is as long as is allowed", signedBy({ signedEmail: `${"d".repeat(316)}@lab` })],
    ["its certificates are a host's", certifiedFor({ hostname: "build.lab.example", email: null })],
    ["its certificates are a person's", certifiedFor({ email: "dev@lab.example", hostname: null })],
    [
      "its optional data is null",
      {
        rootOfTrust: { policyType: "PublicKey", publicKey: { keyData: publicKey, rekorKeyData: null } },
      },
    ],
  ])("When %s, it should be taken", ([, policy = simplePolicy, scopes = ["q.io"]]) => {
    expect(problems(policy, scopes)).toEqual([]);
  });

  test("When a certificate is a host's, it should require only the host", () => {
    const requirement = requirementOf(certifiedFor({ hostname: "build.lab.example" }));
    expect(requirement?.pki).toEqual({ caRootsData: certificate, subjectHostname: "build.lab.example" });
  });

  test.for([
    { scopes: null, issue: "spec.scopes: must be a list of scopes" },
    { scopes: ["q.io", ""], issue: `spec.scopes[1]: ${scopeFormat.replace("be", "be a scope:")}` },
    { scopes: [7], issue: `spec.scopes[0]: ${scopeFormat.replace("be", "be a scope:")}` },
  ])("When the scopes are $scopes, it should refuse the policy", ({ scopes, issue }) => {
    expect(problems(simplePolicy, scopes, "operator")).toEqual([`error InvalidImagePolicy ${issue}`]);
  });

  test("When base64 has line breaks, the operator should write it without", () => {
    const policy = trusting(publicKey.replace(/.{16}/g, "$&\n"));
    const { requirement } =
      readImagePolicy(aClusterImagePolicy("p", ["q.io"], policy), "operator").policy ?? {};
    expect(requirement).toMatchObject({ keyData: publicKey });
  });

  test("When the spec is missing, it should refuse the policy without throwing", () => {
    const { spec: _, ...bare } = aClusterImagePolicy("p", []);
    const { policy, issues } = readImagePolicy(bare, "operator");
    expect(policy).toBeUndefined();
    expect(issues[0]?.message).toBe("spec must be an object");
  });
});
