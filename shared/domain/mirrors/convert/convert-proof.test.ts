import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import {
  aClusterVersion,
  anImage,
  anImageContentSourcePolicy,
  anImageDigestMirrorSet,
  anImageTagMirrorSet,
  payloadRepository,
  releaseImage,
} from "../fixtures.ts";
import { aClusterImagePolicy } from "../policies/fixtures.ts";
import { convertMirrorPolicies } from "./convert.ts";
import { proveMigration } from "./convert-proof.ts";

const source = "quay.io/acme";
const policy = (...mirrors: string[]) => anImageContentSourcePolicy("acme", [{ source, mirrors }]);
const tagPolicy: KubernetesObject = {
  apiVersion: "config.openshift.io/v1",
  kind: "ImageSourceTagPolicy",
  metadata: { name: "acme" },
  spec: { repositoryTagMirrors: [{ source, mirrors: ["m.lab"] }] },
};

function prove(old: readonly KubernetesObject[], ...beside: readonly KubernetesObject[]) {
  const { objects: made } = convertMirrorPolicies(old);
  return proveMigration({ old, made, beside: { objects: beside }, writer: "hubrelay" });
}

describe("a migration that does not affect nodes", () => {
  test.for([
    { name: "a policy and a tag policy for the same mirror", old: [policy("m.lab"), tagPolicy], beside: [] },
    {
      name: "a policy whose mirror set exists already",
      old: [policy("b.lab")],
      beside: [anImageDigestMirrorSet("acme", [{ source, mirrors: ["b.lab"] }])],
    },
  ])("When it is $name, it should prove it", ({ old, beside }) => {
    expect(prove(old, ...beside)).toEqual({ changes: [], refusals: [] });
  });

  test("When valid policies are next to any other objects, it should always be one", () => {
    const location = fc.constantFrom("a.io", "a.io/b", "a.io/b/c", "x.lab", "y.lab:5000/z");
    const rule = fc.record({
      source: fc.oneof(location, fc.constant("*.io")),
      mirrors: fc.uniqueArray(location, { maxLength: 3 }),
    });
    const rules = fc.array(rule, { maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(rules, { maxLength: 3 }),
        rules,
        rules,
        fc.array(location),
        (policies, digest, tag, listed) => {
          const old = policies.map((list, index) => anImageContentSourcePolicy(`policy-${index}`, list));
          const { objects: made, issues } = convertMirrorPolicies(old);
          expect(issues).toEqual([]);
          const objects = [anImageDigestMirrorSet("beside", digest), anImageTagMirrorSet("beside", tag)];
          const image = anImage({ insecureRegistries: listed, blockedRegistries: listed.toReversed() });
          expect(proveMigration({ old, made, beside: { objects, image } }).changes).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("a migration that affects nodes", () => {
  test("When machine-config-operator does not read the old kind, nodes should gain its mirrors", () => {
    const { objects: made } = convertMirrorPolicies([tagPolicy]);
    const { changes } = proveMigration({ old: [tagPolicy], made, beside: { objects: [] } });
    expect(changes.map(({ step }) => step)).toEqual(["creating the new objects"]);
  });

  test("When the old objects are refused, the proof should say why", () => {
    const bad = anImageContentSourcePolicy("acme", [{ source, mirrors: ["a.lab"] }, { source: "bad:tag" }]);
    expect(prove([bad]).refusals.map(({ code }) => code)).toEqual(["InvalidSource"]);
  });

  test("When a mirror was listed twice, it should show the order that changes", () => {
    const { changes } = prove([policy("z.lab", "z.lab", "b.lab")]);
    expect(changes.map(({ step }) => step)).toEqual(["deleting the old objects"]);
  });

  test("When an object could not be converted, it should show what is lost with the old one", () => {
    const { changes } = proveMigration({ old: [policy("a.lab")], made: [], beside: { objects: [] } });
    expect(changes.map(({ step }) => step)).toEqual(["deleting the old objects"]);
    expect(changes[0]?.lines).toEqual([
      "/etc/containers/registries.conf",
      "  the top level:",
      '  - unqualified-search-registries = ["registry.access.redhat.com", "docker.io"]',
      '  - short-name-mode = ""',
      '  - additional-layer-store-auth-helper = ""',
      '  "quay.io/acme":',
      "  - [[registry]]",
      '  -   prefix = ""',
      '  -   location = "quay.io/acme"',
      "  -   [[registry.mirror]]",
      '  -     location = "a.lab"',
      '  -     pull-from-mirror = "digest-only"',
    ]);
  });

  test("When other files change too, it should name them", () => {
    const beside = { objects: [aClusterImagePolicy("signed", [source])] };
    const { changes } = proveMigration({ old: [policy("a.lab/acme")], made: [], beside });
    expect(changes[0]?.lines.filter((line) => line.startsWith("/"))).toEqual([
      "/etc/containers/registries.conf",
      "/etc/containers/registries.d/sigstore-registries.yaml",
    ]);
    expect(changes[0]?.lines.at(-1)).toBe("/etc/containers/registries.d/sigstore-registries.yaml");
  });

  test.for([
    { name: "of its kind", build: anImageDigestMirrorSet, lost: true },
    { name: "of another kind", build: anImageTagMirrorSet, lost: false },
  ])("When an object $name has the new name, its rules should be lost: $lost", ({ build, lost }) => {
    const { changes } = prove([policy("a.lab")], build("acme", [{ source: "other.io", mirrors: ["o.lab"] }]));
    expect(changes.map(({ step }) => step)).toEqual(lost ? ["creating the new objects"] : []);
  });

  test("When the configuration would not be rendered at all, it should prove nothing", () => {
    const beside = {
      objects: [],
      image: anImage({ blockedRegistries: [payloadRepository] }),
      clusterVersion: aClusterVersion("not a reference"),
      releaseImage: "not a reference either",
    };
    const { refusals } = proveMigration({ old: [policy("a.lab")], made: [], beside });
    expect(refusals.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      "error InvalidReleaseImage",
    ]);
    expect(
      proveMigration({ old: [policy("a.lab")], made: [], beside: { ...beside, releaseImage } }).refusals,
    ).toEqual([]);
  });
});
