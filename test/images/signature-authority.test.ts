import { createPrivateKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { aClusterImagePolicy } from "#shared/domain/mirrors/policies/fixtures.ts";
import { makeCertificate } from "./support/certificate.ts";
import { whyNoPolicyCheck } from "./support/policy-check.ts";
import { makeSigner, type Signer } from "./support/signature.ts";
import { judge } from "./support/signed-scenario.ts";
import { test } from "./support/test.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** A policy that trusts an authority's certificates for one person. */
async function trustingAuthority(
  folder: string,
  email: string,
): Promise<Readonly<{ policy: object; signer: Signer }>> {
  const root = await makeCertificate(folder, "authority", []);
  const leaf = await makeCertificate(
    folder,
    "signer",
    [
      "subjectAltName=email:signer@a.io",
      "extendedKeyUsage=codeSigning",
      "basicConstraints=critical,CA:FALSE",
    ],
    root,
  );
  const [caRoots, certificate, key] = await Promise.all(
    [root.certificate, leaf.certificate, leaf.key].map((path) => readFile(path, "utf8")),
  );
  return {
    policy: {
      rootOfTrust: {
        policyType: "PKI",
        pki: { caRootsData: base64(caRoots ?? ""), pkiCertificateSubject: { email } },
      },
    },
    signer: { privateKey: createPrivateKey(key ?? ""), certificate: certificate ?? "" },
  };
}

const authorities = [
  { name: "When an authority vouches for the signer, it should be accepted", email: "signer@a.io" },
  {
    name: "When an authority vouches for somebody else, it should be refused",
    email: "other@a.io",
    refusal: 'Required email "other@a.io" not found',
  },
];

test.skipIf(whyNoPolicyCheck).for(authorities)("$name", async ({ email, refusal }, { lab, policyCheck }) => {
  const { policy, signer } = await trustingAuthority(await lab.folder(), email);
  const objects = [aClusterImagePolicy("pki", ["a.io/ns"], policy)];
  await judge(lab, policyCheck, { objects, signers: [signer], ...(refusal ? { refusal } : {}) });
});

test.skipIf(whyNoPolicyCheck)(
  "When a signature must be in a transparency log and is not, it should be refused",
  async ({ lab, policyCheck }) => {
    const { certificate } = await makeCertificate(await lab.folder(), "authority", []);
    const policy = {
      rootOfTrust: {
        policyType: "FulcioCAWithRekor",
        fulcioCAWithRekor: {
          fulcioCAData: base64(await readFile(certificate, "utf8")),
          rekorKeyData: base64(makeSigner().publicKey),
          fulcioSubject: { oidcIssuer: "https://issuer.a.io", signedEmail: "signer@a.io" },
        },
      },
    };
    await judge(lab, policyCheck, {
      objects: [aClusterImagePolicy("fulcio", ["a.io/ns"], policy)],
      signers: [makeSigner()],
      refusal: "missing dev.sigstore.cosign/bundle annotation",
    });
  },
);
