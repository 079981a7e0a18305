import { expect, test } from "vitest";
import { makeSigner, signatureLayers } from "../../../test/support/servers/cosign-signatures.ts";
import { tryParseImageReference } from "../images/image-reference.ts";
import { configureMirrors } from "../mirrors/configuration.ts";
import { proposePolicies, type SignedImage } from "./propose-policies.ts";

const digest = `sha256:${"a".repeat(64)}`;
const [ours, theirs, unknown] = [makeSigner(), makeSigner(), makeSigner()];
const keyOf = (name: string, { publicKey }: typeof ours) => ({
  name,
  keyData: Buffer.from(publicKey).toString("base64"),
});
const keys = [keyOf("ours", ours), keyOf("theirs", theirs)];
const v1 = "config.openshift.io/v1";

/** An image by this name whose only manifest is signed under these names. */
function signed(name: string, signedAs: readonly string[], signer = ours): SignedImage {
  const image = tryParseImageReference(name);
  if (!image) throw new Error(`${name} is not a reference`);
  const signatures = signedAs.flatMap((one) =>
    signatureLayers(digest, one, [signer]).map(({ content, annotations }) => ({
      payload: content.toString(),
      annotations,
    })),
  );
  return { image, manifests: new Map([[digest, signatures]]) };
}

test.for<{ what: string; name: string; signedAs: string; identity: object | undefined }>([
  { what: "the same tag", name: "a.io/x:1", signedAs: "a.io/x:1", identity: undefined },
  {
    what: "another tag, and is pulled by digest",
    name: `a.io/x@${digest}`,
    signedAs: "a.io/x:1",
    identity: undefined,
  },
  {
    what: "its repository, as cosign writes it",
    name: `a.io/x@${digest}`,
    signedAs: "a.io/x",
    identity: { matchPolicy: "MatchRepository" },
  },
  {
    what: "the name in its maker's registry",
    name: `a.io/x/y@${digest}`,
    signedAs: "maker.lan/build/x/y:1",
    identity: {
      matchPolicy: "RemapIdentity",
      remapIdentity: { prefix: "a.io", signedPrefix: "maker.lan/build" },
    },
  },
  {
    what: "another name without a tag",
    name: `a.io/x@${digest}`,
    signedAs: "maker.lan/z",
    identity: { matchPolicy: "ExactRepository", exactRepository: { repository: "maker.lan/z" } },
  },
  {
    what: "a name that differs in a host with a port, which the API takes for a tag",
    name: `reg.lan:8443/x/y@${digest}`,
    signedAs: "maker.lan/x/y:1",
    identity: { matchPolicy: "ExactRepository", exactRepository: { repository: "maker.lan/x/y" } },
  },
])("When an image is signed for $what, the strictest identity that accepts it should be proposed", (row) => {
  const { policies, others } = proposePolicies(
    [signed(row.name, [row.signedAs])],
    { keys },
    { apiVersion: v1 },
  );
  expect(others).toEqual([]);
  const [{ spec } = { spec: undefined }] = policies;
  expect((spec as { policy: { signedIdentity?: object } }).policy.signedIdentity).toEqual(row.identity);
  expect(
    configureMirrors({ objects: policies }).issues.filter(({ severity }) => severity === "error"),
  ).toEqual([]);
});

test("When keys and identities differ, each should have a policy, and a repository with an image that none accepts should have none", () => {
  const images = [
    signed("a.io/both:1", ["a.io/both:1"]),
    signed(`a.io/both@${digest}`, ["a.io/both"]),
    signed("a.io/one:1", ["a.io/one:1"]),
    signed("a.io/theirs:1", ["a.io/theirs:1"], theirs),
    signed("a.io/half:1", ["a.io/half:1"]),
    signed("a.io/half:2", []),
    signed("a.io/other:1", ["a.io/other:1"], unknown),
    { ...signed("a.io/down:1", []), problem: "a.io/down:1: no response" },
    signed("registry:5000/x:1", ["registry:5000/x:1"]),
    signed("a.io/above:1", ["a.io/above:1"]),
    signed("a.io/above/unsigned:1", []),
  ];
  const { policies, others } = proposePolicies(images, { keys }, { apiVersion: v1 });
  const scopes = policies.map(({ metadata, spec }) => [metadata.name, (spec as { scopes: unknown }).scopes]);
  expect(scopes).toEqual([
    ["signed-by-ours", ["a.io/both"]],
    ["signed-by-ours-2", ["a.io/one"]],
    ["signed-by-theirs", ["a.io/theirs"]],
  ]);
  expect(others).toEqual([
    { repository: "a.io/above/unsigned", reason: "a.io/above/unsigned:1 has no signature" },
    { repository: "a.io/down", reason: "a.io/down:1: no response" },
    { repository: "a.io/half", reason: "a.io/half:2 has no signature" },
    { repository: "a.io/other", reason: expect.stringContaining("no known root") },
    { repository: "registry:5000/x", reason: "the API accepts no scope with this host" },
    { repository: "a.io/above", reason: "its policy would apply to a.io/above/unsigned as well" },
  ]);
  const again = proposePolicies(
    [images[2], images[3]].flat() as readonly SignedImage[],
    { keys },
    {
      apiVersion: v1,
      present: ["signed-by-ours", "signed-by-ours-2"],
    },
  );
  expect(again.policies.map(({ metadata }) => metadata.name)).toEqual([
    "signed-by-ours-3",
    "signed-by-theirs",
  ]);
});

test("When a key has more repositories than a policy may have scopes, they should be in several policies", () => {
  const images = Array.from({ length: 257 }, (_, index) => signed(`a.io/x${index}:1`, [`a.io/x${index}:1`]));
  const { policies } = proposePolicies(images, { keys }, { apiVersion: v1 });
  expect(policies.map(({ spec }) => (spec as { scopes: readonly string[] }).scopes.length)).toEqual([256, 1]);
});
