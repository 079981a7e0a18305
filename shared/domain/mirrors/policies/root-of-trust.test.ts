import { expect, test } from "vitest";
import { aClusterImagePolicy, certificate, fulcio, pem, pki, publicKey } from "./fixtures.ts";
import { readImagePolicy } from "./image-policy.ts";

const read = (rootOfTrust: object) =>
  readImagePolicy(aClusterImagePolicy("p", ["q.io"], { rootOfTrust }), "anyone");

const noKey = pem("PUBLIC KEY", "Zm9yIHRlc3RzIG9ubHk=");
const noCertificate = pem("CERTIFICATE", "Zm9yIHRlc3RzIG9ubHk=");

test.for([
  {
    policyType: "PublicKey",
    member: "publicKey",
    field: "keyData",
    given: { keyData: noKey },
    is: "public key",
  },
  {
    policyType: "PublicKey",
    member: "publicKey",
    field: "rekorKeyData",
    given: { keyData: publicKey, rekorKeyData: noKey },
    is: "public key",
  },
  {
    policyType: "FulcioCAWithRekor",
    member: "fulcioCAWithRekor",
    field: "fulcioCAData",
    given: { ...fulcio, fulcioCAData: noCertificate },
    is: "certificate",
  },
  {
    policyType: "PKI",
    member: "pki",
    field: "caRootsData",
    given: { ...pki, caRootsData: noCertificate },
    is: "certificate",
  },
])(
  "When $field of $member is between the borders of PEM but no $is, it should warn and render it",
  ({ policyType, member, field, given, is }) => {
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
