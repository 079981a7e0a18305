import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { aClusterImagePolicy } from "#shared/domain/mirrors/policies/fixtures.ts";
import { makeSigner, type Signer } from "../support/servers/cosign-signatures.ts";
import { because } from "../support/setup/skipped-tests.ts";
import { makeCertificate } from "./support/registries/registry.ts";
import { whyNoPolicyCheck } from "./support/scenarios/policy-check.ts";
import { dryRun } from "./support/scenarios/signed-scenario.ts";
import { test } from "./support/test.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

const signerEmail = "signer@a.io";
const oidcIssuer = "https://issuer.a.io";

/**
 * An authority, and a signer with its certificate: the signer's email, and the issuer that authenticated the signer.
 */
async function certifiedSigner(folder: string): Promise<Readonly<{ caData: string; signer: Signer }>> {
  const root = await makeCertificate(folder, "authority", []);
  const extensions = [
    `subjectAltName=email:${signerEmail}`,
    "extendedKeyUsage=codeSigning",
    "basicConstraints=critical,CA:FALSE",
    `1.3.6.1.4.1.57264.1.8=ASN1:UTF8String:${oidcIssuer}`,
  ];
  const leaf = await makeCertificate(folder, "signer", extensions, root);
  const [authority, certificate, key] = await Promise.all([
    readFile(root.certificate, "utf8"),
    readFile(leaf.certificate, "utf8"),
    readFile(leaf.key, "utf8"),
  ]);
  return { caData: base64(authority), signer: { privateKey: createPrivateKey(key), certificate } };
}

const authorities = [
  { name: "When an authority vouches for the signer, the image should be accepted", email: signerEmail },
  {
    name: "When an authority vouches for another signer, the image should be refused",
    email: "other@a.io",
    refusal: 'Required email "other@a.io" not found',
  },
];

test.skipIf(whyNoPolicyCheck).for(authorities)(
  "$name",
  because(whyNoPolicyCheck),
  async ({ email, refusal }, { lab, policyCheck }) => {
    const { caData, signer } = await certifiedSigner(await lab.folder());
    const rootOfTrust = {
      policyType: "PKI",
      pki: { caRootsData: caData, pkiCertificateSubject: { email } },
    };
    const objects = [aClusterImagePolicy("pki", ["a.io/ns"], { rootOfTrust })];
    await dryRun(lab, policyCheck, {
      objects,
      signers: [signer],
      isUnchecked: true,
      ...(refusal ? { refusal } : {}),
    });
  },
);

type LoggedCase = Readonly<{
  name: string;
  subject?: Readonly<{ signedEmail?: string; oidcIssuer?: string }>;
  /** The key of the log that recorded the signature. */
  log?: KeyObject;
  refusal?: string;
}>;

const log = makeSigner();
const logged: readonly LoggedCase[] = [
  {
    name: "When the authority's certificate is right and the log recorded the signature, the image should be accepted",
    log: log.privateKey,
  },
  {
    name: "When a signature must be in a transparency log and is not, it should be refused",
    refusal: "missing dev.sigstore.cosign/bundle annotation",
  },
  {
    name: "When another log recorded the signature, the image should be refused",
    log: makeSigner().privateKey,
    refusal: "cryptographic signature verification of Rekor SET failed",
  },
  {
    name: "When the certificate is another signer's, the image should be refused",
    subject: { signedEmail: "other@a.io" },
    log: log.privateKey,
    refusal: 'Required email "other@a.io" not found',
  },
  {
    name: "When another issuer authenticated the signer, the image should be refused",
    subject: { oidcIssuer: "https://other.a.io" },
    log: log.privateKey,
    refusal: `Unexpected Fulcio OIDC issuer "${oidcIssuer}"`,
  },
];

test.skipIf(whyNoPolicyCheck).for(logged)(
  "$name",
  because(whyNoPolicyCheck),
  async ({ subject, log: logKey, refusal }, { lab, policyCheck }) => {
    const { caData, signer } = await certifiedSigner(await lab.folder());
    const rootOfTrust = {
      policyType: "FulcioCAWithRekor",
      fulcioCAWithRekor: {
        fulcioCAData: caData,
        rekorKeyData: base64(log.publicKey),
        fulcioSubject: { oidcIssuer, signedEmail: signerEmail, ...subject },
      },
    };
    await dryRun(lab, policyCheck, {
      objects: [aClusterImagePolicy("fulcio", ["a.io/ns"], { rootOfTrust })],
      signers: [logKey ? { ...signer, logKey } : signer],
      ...(refusal ? { refusal } : {}),
    });
  },
);

const keys = [
  { name: "When a key's signature is in the log too, it should be accepted", logKey: log.privateKey },
  {
    name: "When a key's signature must be in the log and is not, it should be refused",
    refusal: "missing dev.sigstore.cosign/bundle annotation",
  },
];

test.skipIf(whyNoPolicyCheck).for(keys)(
  "$name",
  because(whyNoPolicyCheck),
  async ({ logKey, refusal }, { lab, policyCheck }) => {
    const { publicKey, privateKey } = makeSigner();
    const rootOfTrust = {
      policyType: "PublicKey",
      publicKey: { keyData: base64(publicKey), rekorKeyData: base64(log.publicKey) },
    };
    await dryRun(lab, policyCheck, {
      objects: [aClusterImagePolicy("key", ["a.io/ns"], { rootOfTrust })],
      signers: [logKey ? { privateKey, logKey } : { privateKey }],
      ...(refusal ? { refusal } : {}),
    });
  },
);
