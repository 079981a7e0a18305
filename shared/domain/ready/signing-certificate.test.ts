import { expect, test } from "vitest";
import { makeSigner, type Signer, signatureLayers } from "../../../test/support/servers/cosign-signatures.ts";
import { authority, keylessSigner, subject } from "../../../test/support/servers/keyless-signer.ts";
import { certificate as otherAuthority } from "../../../test/support/servers/server-certificate.ts";
import { configureMirrors } from "../mirrors/configuration.ts";
import { proposePolicies } from "./propose-policies.ts";
import { verifySignatures } from "./verify-signatures.ts";

const digest = `sha256:${"a".repeat(64)}`;
const image = { repository: "a.io/x", tag: "1" };
const base64 = (text: string) => Buffer.from(text).toString("base64");
const [log, otherLog, ours] = [makeSigner(), makeSigner(), makeSigner()];
const recorded: Signer = { ...keylessSigner, logKey: log.privateKey };

const signaturesBy = (signer: Signer) =>
  signatureLayers(digest, "a.io/x:1", [signer]).map(({ content, annotations }) => ({
    payload: content.toString(),
    annotations: annotations as Record<string, string>,
  }));

const fulcio = {
  caData: base64(authority),
  oidcIssuer: subject.oidcIssuer,
  subjectEmail: subject.signedEmail,
};
const keyless = (changed: object = {}, logKey = log) => ({
  type: "sigstoreSigned",
  fulcio: { ...fulcio, ...changed },
  rekorPublicKeyData: base64(logKey.publicKey),
});
const byLoggedKey = {
  type: "sigstoreSigned",
  keyData: base64(ours.publicKey),
  rekorPublicKeyData: base64(log.publicKey),
};

type Given = Readonly<{
  what: string;
  signer?: Signer;
  requirement?: object;
  /** Changes the entry of the log's record. */
  entryOf?: (entry: Record<string, unknown>) => object;
  refusal?: string;
}>;

test.for<Given>([
  { what: "its signer is certified, by an intermediate authority, and it is recorded" },
  { what: "the log has not recorded it", signer: keylessSigner, refusal: "log" },
  { what: "another log has recorded it", requirement: keyless({}, otherLog), refusal: "log" },
  {
    what: "the log's record has been changed",
    entryOf: (entry) => ({ ...entry, integratedTime: 1 }),
    refusal: "log",
  },
  {
    what: "its signer has another email",
    requirement: keyless({ subjectEmail: "x@y.z" }),
    refusal: "dev@lab",
  },
  {
    what: "another issuer is wanted",
    requirement: keyless({ oidcIssuer: "https://y.z" }),
    refusal: "issuer.lab",
  },
  {
    what: "another authority is wanted",
    requirement: keyless({ caData: base64(otherAuthority) }),
    refusal: "no authority",
  },
  {
    what: "the certificate of the intermediate authority is missing",
    signer: { ...recorded, chain: authority },
    refusal: "no authority",
  },
  {
    what: "its chain repeats certificates without end, and another authority is wanted",
    signer: { ...recorded, chain: String(recorded.chain).repeat(50) },
    requirement: keyless({ caData: base64(otherAuthority) }),
    refusal: "no authority",
  },
  {
    what: "the certificate is of another key",
    signer: { ...recorded, privateKey: ours.privateKey },
    refusal: "no key",
  },
  { what: "it has no certificate", signer: ours, refusal: "no certificate" },
  {
    what: "it is of a key, and recorded",
    signer: { privateKey: ours.privateKey, logKey: log.privateKey },
    requirement: byLoggedKey,
  },
  { what: "it is of a key, and not recorded", signer: ours, requirement: byLoggedKey, refusal: "log" },
])("When $what, a signature should be valid only without a reason against it", (given) => {
  const { signer = recorded, requirement = keyless(), entryOf, refusal } = given;
  const signatures = signaturesBy(signer).map((one) => {
    const { "dev.sigstore.cosign/bundle": bundle } = one.annotations;
    if (!entryOf || bundle === undefined) return one;
    const { SignedEntryTimestamp, Payload } = JSON.parse(bundle);
    const changed = JSON.stringify({ SignedEntryTimestamp, Payload: entryOf(Payload) });
    return { ...one, annotations: { ...one.annotations, "dev.sigstore.cosign/bundle": changed } };
  });
  expect(verifySignatures(signatures, [requirement], { image, digest })).toEqual(
    refusal === undefined
      ? { state: "valid" }
      : { state: "invalid", reason: expect.stringContaining(refusal) },
  );
});

test("When the signer's certificate had expired at the time of the record, the signature should be invalid", () => {
  const at = new Date("2121-01-01");
  const [signature] = signatureLayers(digest, "a.io/x:1", [recorded], JSON.stringify, at);
  const { annotations = {}, content } = signature ?? {};
  const verdict = verifySignatures([{ payload: String(content), annotations }], [keyless()], {
    image,
    digest,
  });
  expect(verdict).toMatchObject({ state: "invalid", reason: expect.stringContaining("at that time") });
});

test("When an authority is known, a policy should be proposed for the signer whom it certified, and only for recorded signatures", () => {
  const known = { fulcioCAData: base64(authority), rekorKeyData: base64(log.publicKey) };
  const propose = (signer: Signer) =>
    proposePolicies(
      [{ image, manifests: new Map([[digest, signaturesBy(signer)]]) }],
      { keys: [], authority: known },
      { apiVersion: "config.openshift.io/v1" },
    );
  const { policies } = propose(recorded);
  const rootOfTrust = {
    policyType: "FulcioCAWithRekor",
    fulcioCAWithRekor: { ...known, fulcioSubject: subject },
  };
  expect(policies).toMatchObject([
    {
      metadata: { name: "signed-by-dev-lab-example" },
      spec: { scopes: ["a.io/x"], policy: { rootOfTrust } },
    },
  ]);
  const { issues } = configureMirrors({ objects: policies });
  expect(issues.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(propose(keylessSigner)).toMatchObject({
    policies: [],
    others: [{ repository: "a.io/x", reason: expect.stringContaining("no known root") }],
  });
});
