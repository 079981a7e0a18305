import { expect, test } from "vitest";
import { aClusterImagePolicy, certificate, fulcio, pem, pki, publicKey } from "./fixtures.ts";
import { readImagePolicy } from "./read-policies.ts";

const read = (rootOfTrust: object) =>
  readImagePolicy(aClusterImagePolicy("p", ["q.io"], { rootOfTrust }), "anyone");

const noKey = pem("PUBLIC KEY", "Zm9yIHRlc3RzIG9ubHk=");
const noCertificate = pem("CERTIFICATE", "Zm9yIHRlc3RzIG9ubHk=");

const authority = { ...fulcio, fulcioCAData: noCertificate };

test.for([
  ["keyData", "PublicKey", "publicKey", { keyData: noKey }, "public key"],
  ["rekorKeyData", "PublicKey", "publicKey", { keyData: publicKey, rekorKeyData: noKey }, "public key"],
  ["fulcioCAData", "FulcioCAWithRekor", "fulcioCAWithRekor", authority, "certificate"],
  ["caRootsData", "PKI", "pki", { ...pki, caRootsData: noCertificate }, "certificate"],
] as const)(
  "When $0 of $2 is between the borders of PEM but no $4, it should warn and render it",
  ([field, policyType, member, given, is]) => {
    const { policy, issues } = read({ policyType, [member]: given });
    const path = `spec.policy.rootOfTrust.${member}.${field}`;
    const message = `${path} is not a ${is} that nodes can read: they pull no image of the scopes`;
    expect(issues).toMatchObject([{ code: "UnusableKey", severity: "warning", path, message }]);
    expect(policy).toBeDefined();
  },
);

test("When only one certificate of a bundle can be read, it should not warn: nodes use that one", () => {
  const bundle = [noCertificate, certificate].map((one) => Buffer.from(one, "base64").toString()).join("");
  const caRootsData = Buffer.from(bundle).toString("base64");
  expect(read({ policyType: "PKI", pki: { ...pki, caRootsData } }).issues).toEqual([]);
});
