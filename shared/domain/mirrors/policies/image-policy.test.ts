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
  const certificates = {
    caRootsData: certificate,
    caIntermediatesData: certificate,
    pkiCertificateSubject: { email: "dev@lab.example", hostname: "*.lab.example" },
  };
  const subject = { subjectEmail: "dev@lab.example", subjectHostname: "*.lab.example" };
  const byAuthority = {
    caData: certificate,
    oidcIssuer: "https://oidc.lab",
    subjectEmail: "dev@lab.example",
  };
  const logged = { policyType: "PublicKey", publicKey: { keyData: publicKey, rekorKeyData: publicKey } };
  const own = { caRootsData: certificate, caIntermediatesData: certificate, ...subject };

  test.for<readonly [what: string, rootOfTrust: object, demanded: object]>([
    ["a public key", publicKeyTrust, { keyData: publicKey }],
    ["a public key and a log", logged, { keyData: publicKey, rekorPublicKeyData: publicKey }],
    [
      "a certificate authority with a transparency log",
      { policyType: "FulcioCAWithRekor", fulcioCAWithRekor: fulcio },
      { fulcio: byAuthority, rekorPublicKeyData: publicKey },
    ],
    ["own certificates", { policyType: "PKI", pki: certificates }, { pki: own }],
  ])(
    "When the root of trust is $0, it should demand it in the library's order",
    ([, rootOfTrust, demanded]) => {
      const requirement = { type: "sigstoreSigned", ...demanded, signedIdentity: defaultIdentity };
      expect(JSON.stringify(requirementOf({ rootOfTrust }))).toBe(JSON.stringify(requirement));
    },
  );

  const exactly = (repository: string) => ({
    matchPolicy: "ExactRepository",
    exactRepository: { repository },
  });
  const remapped = { prefix: "m.lab/x", signedPrefix: "q.io" };

  test.for<readonly [signedIdentity: unknown, expected: object]>([
    [undefined, defaultIdentity],
    [null, defaultIdentity],
    [{ matchPolicy: "MatchRepoDigestOrExact" }, defaultIdentity],
    [{ matchPolicy: "MatchRepository" }, { type: "matchRepository" }],
    [exactly("q.io/x"), { type: "exactRepository", dockerRepository: "q.io/x" }],
    [
      { matchPolicy: "RemapIdentity", remapIdentity: remapped },
      { type: "remapIdentity", ...remapped },
    ],
  ])("When the identity is $0, it should render $1", ([signedIdentity, expected]) => {
    const requirement = requirementOf({ ...simplePolicy, signedIdentity });
    expect(JSON.stringify(requirement?.signedIdentity)).toBe(JSON.stringify(expected));
  });

  const root = "spec.policy.rootOfTrust";
  const identity = "spec.policy.signedIdentity";

  const object = "must be an object";
  const text = "must be a string that is not empty";
  const type = "must be PublicKey, FulcioCAWithRekor or PKI";
  const prefix = "must be host[:port][/path] with a full host name, without tag or digest";
  const trusting = (keyData: unknown, more: object = {}) => ({
    rootOfTrust: { policyType: "PublicKey", publicKey: { keyData, ...more } },
  });
  const logging = (rekorKeyData: unknown) => trusting(publicKey, { rekorKeyData });
  const ofPki = (changes: object) => ({ rootOfTrust: { policyType: "PKI", pki: { ...pki, ...changes } } });
  const identified = (signedIdentity: object) => ({ ...simplePolicy, signedIdentity });
  const base64 = "must be base64";
  const emptyAuthority = { rootOfTrust: { policyType: "FulcioCAWithRekor", fulcioCAWithRekor: {} } };
  const ways = "MatchRepoDigestOrExact, MatchRepository, ExactRepository or RemapIdentity";
  const noPrefixes = identified({ matchPolicy: "RemapIdentity", remapIdentity: {} });
  const noCertificates = ofPki({ caRootsData: "-", caIntermediatesData: "-" });
  const noSubject = ofPki({ pkiCertificateSubject: {} });

  test.for<[name: string, policy: unknown, issues: string[]]>([
    ["the policy is missing", null, [`spec.policy: ${object}`]],
    ["the root of trust is missing", {}, [`${root}: ${object}`]],
    ["the type is unknown", { rootOfTrust: { policyType: "GPG" } }, [`${root}.policyType: ${type}`]],
    ["the key is missing", { rootOfTrust: { policyType: "PublicKey" } }, [`${root}.publicKey: ${object}`]],
    ["the key is empty", trusting(""), [`${root}.publicKey.keyData: ${text}`]],
    ["the key is not base64", trusting("-----BEGIN"), [`${root}.publicKey.keyData: ${base64}`]],
    ["it was cut off", trusting(publicKey.slice(0, -1)), [`${root}.publicKey.keyData: ${base64}`]],
    ["the log's key is not base64", logging("-"), [`${root}.publicKey.rekorKeyData: ${base64}`]],
    [
      "all of a certificate authority is missing",
      emptyAuthority,
      [`fulcioCAData: ${text}`, `rekorKeyData: ${text}`, `fulcioSubject: ${object}`].map(
        (issue) => `${root}.fulcioCAWithRekor.${issue}`,
      ),
    ],
    ["it has no subject", noSubject, [`${root}.pki.pkiCertificateSubject: must have an email or a hostname`]],
    [
      "own certificates are not base64",
      noCertificates,
      [`${root}.pki.caRootsData: ${base64}`, `${root}.pki.caIntermediatesData: ${base64}`],
    ],
    ["matching is unknown", identified({ matchPolicy: "Any" }), [`${identity}.matchPolicy: must be ${ways}`]],
    [
      "the exact one has a tag",
      identified(exactly("q.io/x:1")),
      [`${identity}.exactRepository.repository: ${prefix}`],
    ],
    [
      "a prefix is missing",
      noPrefixes,
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
  const certifiedFor = (pkiCertificateSubject: object) => ofPki({ pkiCertificateSubject });
  const noKey = 'publicKey.keyData: must be base64 of a PEM block "PUBLIC KEY"';
  const noEmail = "must be an email address";

  const tooLong = ofPki({ caRootsData: bundleOf(8196) });
  const many = (count: number) => Array.from({ length: count }, (_, index) => `q.io/${index}`);
  const [begin, end] = ["-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----"];
  const broken = publicKey.replace(/.{16}/g, "$&\n");
  const endless = keyOf(`-----BEGIN CERTIFICATE-----\n${Buffer.from(certificate, "base64")}`);
  const keyAndPki = { rootOfTrust: { policyType: "PKI", pki, publicKey: { keyData: publicKey } } };
  const bothWays = identified({ ...exactly("q.io/x"), matchPolicy: "MatchRepository" });
  const [authority, certified] = [".fulcioCAWithRekor.fulcioSubject", ".pki.pkiCertificateSubject"];
  const lowerCase = "must be a DNS name in lower case, or *. and one";

  test.for<readonly [name: string, policy: unknown, issue: string]>([
    ["the data is not a key", trusting(certificate), `.${noKey}`],
    ["it ends otherwise", trusting(keyOf(`${begin}\nQUFB\n-----END CERTIFICATE-----\n`)), `.${noKey}`],
    ["text follows the key", trusting(keyOf(`${begin}\nQUFB\n${end}\nmore`)), `.${noKey}`],
    ["optional data is empty", logging(""), `.publicKey.rekorKeyData: ${text}`],
    ["it has line breaks", trusting(broken), ".publicKey.keyData: must be base64 without line breaks"],
    ["borders share dashes", trusting(keyOf("-----BEGIN PUBLIC KEY-----END PUBLIC KEY-----")), `.${noKey}`],
    [
      "a certificate of a bundle has no end",
      ofPki({ caRootsData: endless }),
      '.pki.caRootsData: must be base64 of a PEM block "CERTIFICATE"',
    ],
    ["the data is no text", trusting(keyOf(`${begin}\n\xff\n${end}`, "latin1")), `.${noKey}`],
    ["a key stands beside certificates", keyAndPki, ".publicKey: must not be set: policyType is PKI"],
    ["a host has upper case", certifiedFor({ hostname: "B.lab" }), `${certified}.hostname: ${lowerCase}`],
    ["the data is too long", tooLong, ".pki.caRootsData: must have at most 8192 characters"],
    ["the issuer is not a URL", signedBy({ oidcIssuer: "lab" }), `${authority}.oidcIssuer: must be a URL`],
    ...["dev", "a dev@lab", "dev@lab b", `${"d".repeat(317)}@lab`].map(
      (signedEmail) =>
        [
          `the signer is ${signedEmail}`,
          signedBy({ signedEmail }),
          `${authority}.signedEmail: ${noEmail}`,
        ] as const,
    ),
    ["the subject has no email address", certifiedFor({ email: "dev" }), `${certified}.email: ${noEmail}`],
  ])("When $0, it should leave the refusal to the API server only with mco", ([, policy, issue]) => {
    expect(problems(policy)).toEqual([`error InvalidImagePolicy ${root}${issue}`]);
    expect(problems(policy, ["q.io"], "operator")).toEqual([`warning InvalidImagePolicy ${root}${issue}`]);
    expect(readImagePolicy(aClusterImagePolicy("p", ["q.io"], policy), "anyone").policy).toBeUndefined();
    expect(readImagePolicy(aClusterImagePolicy("p", ["q.io"], policy), "operator").policy).toBeDefined();
  });

  test.for<readonly [name: string, policy: unknown, scopes: readonly string[], issue: string]>([
    ["a scope has no host", simplePolicy, ["q.io", "alpine"], `spec.scopes[1]: ${scopeFormat}`],
    ["a scope is listed twice", simplePolicy, ["q.io", "q.io"], "spec.scopes[1]: must not be listed twice"],
    ["there are too many scopes", simplePolicy, many(257), "spec.scopes: must have at most 256 scopes"],
    [
      "an exact repository stands beside another way to match",
      bothWays,
      ["q.io"],
      `${identity}.exactRepository: must not be set: matchPolicy is MatchRepository`,
    ],
  ])("When $0, it should leave the refusal to the API server only with mco", ([, policy, scopes, issue]) => {
    expect(problems(policy, scopes)).toEqual([`error InvalidImagePolicy ${issue}`]);
    expect(problems(policy, scopes, "operator")).toEqual([`warning InvalidImagePolicy ${issue}`]);
    const given = aClusterImagePolicy("p", scopes, policy);
    // Valid scopes get a valid requirement all the same.
    expect(readImagePolicy(given, "anyone").policy !== undefined).toBe(policy === simplePolicy);
    expect(readImagePolicy(given, "operator").policy).toBeDefined();
  });

  test.for<[name: string, policy?: unknown | undefined, scopes?: unknown | undefined]>([
    ["it has as many scopes as are allowed", undefined, many(256)],
    ["its data is as long as is allowed", ofPki({ caRootsData: bundleOf(8192) })],
    ["its email address is as long as is allowed", signedBy({ signedEmail: `${"d".repeat(316)}@lab` })],
    ["its certificates are a host's", certifiedFor({ hostname: "build.lab.example", email: null })],
    ["its certificates are a person's", certifiedFor({ email: "dev@lab.example", hostname: null })],
    ["its optional data is null", logging(null)],
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
    const given = aClusterImagePolicy("p", ["q.io"], trusting(broken));
    const { requirement } = readImagePolicy(given, "operator").policy ?? {};
    expect(requirement).toMatchObject({ keyData: publicKey });
  });

  test("When the spec is missing, it should refuse the policy without throwing", () => {
    const { spec: _, ...bare } = aClusterImagePolicy("p", []);
    const { policy, issues } = readImagePolicy(bare, "operator");
    expect(policy).toBeUndefined();
    expect(issues[0]?.message).toBe("spec must be an object");
  });
});
