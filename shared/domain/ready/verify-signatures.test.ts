import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { makeSigner, signatureLayers } from "../../../test/support/servers/cosign-signatures.ts";
import { verifySignatures } from "./verify-signatures.ts";

const digest = `sha256:${"a".repeat(64)}`;
const otherDigest = `sha256:${"b".repeat(64)}`;
const [ours, theirs] = [makeSigner(), makeSigner()];
const bitcoin = makeSigner(generateKeyPairSync("ec", { namedCurve: "secp256k1" }));
const repository = "quay.io/acme/app";
const byTag = { repository, tag: "v1" };
const byDigest = { repository, digest };

const requirement = ({ publicKey } = ours, signedIdentity: object = { type: "matchRepoDigestOrExact" }) => ({
  type: "sigstoreSigned",
  keyData: Buffer.from(publicKey).toString("base64"),
  signedIdentity,
});
const matchRepository = { type: "matchRepository" };

type Given = Readonly<{
  what: string;
  /** The name that is signed. */
  name?: string;
  signed?: string;
  signers?: readonly (typeof ours)[];
  image?: Parameters<typeof verifySignatures>[2]["image"];
  requirements?: readonly object[];
  payloadOf?: (statement: object) => string;
  state: string;
  reason?: string;
}>;

test.for<Given>([
  { what: "is of the policy's key and the same tag", state: "valid" },
  { what: "is of another key", signers: [theirs], state: "invalid", reason: "no key of the policy" },
  { what: "is one of two, the other of another key", signers: [theirs, ours], state: "valid" },
  { what: "is of another manifest", signed: otherDigest, state: "invalid", reason: otherDigest },
  { what: "is of another tag", name: `${repository}:v2`, state: "invalid", reason: "signedIdentity" },
  {
    what: "is of another tag, and the image is pulled by digest",
    name: `${repository}:v2`,
    image: byDigest,
    state: "valid",
  },
  {
    what: "has no tag, as cosign writes it",
    name: repository,
    image: byDigest,
    state: "invalid",
    reason: "signedIdentity",
  },
  {
    what: "has no tag, and the repository is enough",
    name: repository,
    requirements: [requirement(ours, matchRepository)],
    state: "valid",
  },
  {
    what: "is of another repository, and the repository is enough",
    name: "quay.io/acme/other:v1",
    requirements: [requirement(ours, matchRepository)],
    state: "invalid",
    reason: "quay.io/acme/other:v1",
  },
  {
    what: "is of the exact repository that the policy names",
    name: "vendor.lan/build/app",
    requirements: [requirement(ours, { type: "exactRepository", dockerRepository: "vendor.lan/build/app" })],
    state: "valid",
  },
  {
    what: "has the prefix that the policy replaces",
    name: "vendor.lan/build/app:v1",
    requirements: [
      requirement(ours, { type: "remapIdentity", prefix: "quay.io/acme", signedPrefix: "vendor.lan/build" }),
    ],
    state: "valid",
  },
  {
    what: "meets only one of two requirements",
    requirements: [requirement(), requirement(theirs)],
    state: "invalid",
    reason: "no key of the policy",
  },
  { what: "does not exist", signers: [], state: "absent" },
  {
    what: "is of a text with a field that the format does not have",
    payloadOf: (statement) => JSON.stringify({ ...statement, more: 1 }),
    state: "invalid",
    reason: "not a statement",
  },
  {
    what: "is of a text that has a field twice",
    payloadOf: (statement) => JSON.stringify(statement).replace("{", '{"optional":null,'),
    state: "invalid",
    reason: "not a statement",
  },
  {
    what: "has to be of a certificate of a PKI",
    requirements: [{ type: "sigstoreSigned", pki: {} }],
    state: "unchecked",
    reason: "pki",
  },
  {
    what: "has to be of a GPG key, and is not attached to the image",
    signers: [],
    requirements: [{ type: "signedBy", keyType: "GPGKeys", keyPath: "/etc/pki/key" }],
    state: "unchecked",
    reason: "signedBy",
  },
  {
    what: "has to be in a transparency log whose key is a file",
    requirements: [{ ...requirement(), rekorPublicKeyPath: "/etc/key" }],
    state: "unchecked",
    reason: "file",
  },
  {
    what: "has to have an identity of another type",
    requirements: [requirement(ours, { type: "exactReference" })],
    state: "unchecked",
    reason: "exactReference",
  },
  {
    what: "is of a key on a curve that nodes do not know",
    signers: [bitcoin],
    requirements: [requirement(bitcoin)],
    state: "invalid",
    reason: "cannot read the key",
  },
  {
    what: "has to be of a key that is no key",
    requirements: [{ ...requirement(), keyData: "YQ==" }],
    state: "invalid",
    reason: "key",
  },
])("When a signature $what, it should be $state", (given) => {
  const {
    name = `${repository}:v1`,
    signed = digest,
    signers = [ours],
    image = byTag,
    state,
    reason,
  } = given;
  const layers = signatureLayers(signed, name, signers, given.payloadOf);
  const signatures = layers.map(({ content, annotations }) => ({ payload: content.toString(), annotations }));
  const verdict = verifySignatures(signatures, given.requirements ?? [requirement()], { image, digest });
  expect(verdict).toEqual({
    state,
    ...(reason === undefined ? {} : { reason: expect.stringContaining(reason) }),
  });
});

test.for([
  ["P-384", generateKeyPairSync("ec", { namedCurve: "P-384" })],
  ["RSA", generateKeyPairSync("rsa", { modulusLength: 2048 })],
  ["Ed25519", generateKeyPairSync("ed25519")],
] as const)("When the key is of the kind %s, its signature should be valid, and no other", ([, pair]) => {
  const signer = makeSigner(pair);
  const [layer] = signatureLayers(digest, `${repository}:v1`, [signer]);
  const { annotations = {}, content } = layer ?? {};
  const verdictOf = (payload = "") =>
    verifySignatures([{ payload, annotations }], [requirement(signer)], { image: byTag, digest }).state;
  expect(verdictOf(content?.toString())).toBe("valid");
  expect(verdictOf(content?.toString().replace("v1", "v2"))).toBe("invalid");
});
