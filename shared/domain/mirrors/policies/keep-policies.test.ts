import { describe, expect, test } from "vitest";
import { isRecord } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { namespacePolicyPath, nodePaths } from "../../machine-config/node-file.ts";
import { configureMirrors, type MirrorInput, mirrorInputOf, previousOf } from "../configuration.ts";
import {
  aClusterVersion,
  anImage,
  anImageDigestMirrorSet,
  componentRepository,
  payloadRepository,
  releaseImage,
} from "../fixtures.ts";
import { aClusterImagePolicy, anImagePolicy, publicKey, simplePolicy } from "./fixtures.ts";

/* A policy that is left out keeps what is applied for its scopes, or rejects them; all else is rendered. */

const other = Buffer.from("-----BEGIN PUBLIC KEY-----\nb3RoZXI=\n-----END PUBLIC KEY-----\n").toString(
  "base64",
);
const trusting = (keyData: unknown) => ({
  rootOfTrust: { policyType: "PublicKey", publicKey: { keyData } },
});
const wrong = trusting("not base64!");

const render = (
  objects: readonly KubernetesObject[],
  applied?: readonly KubernetesObject[],
  more: Partial<MirrorInput> = {},
) => {
  const before = applied && configureMirrors(mirrorInputOf(applied));
  return configureMirrors({
    ...mirrorInputOf(objects),
    ...(before ? { previous: previousOf(before.files) } : {}),
    ...more,
  });
};

type Result = ReturnType<typeof render>;

/** The requirements of each scope: `old` and `new` are keys. */
function scopesIn({ files }: Result, path: string = nodePaths.policy): Readonly<Record<string, string>> {
  const text = files.find((file) => file.path === path)?.contents;
  const docker: unknown = text === undefined ? {} : JSON.parse(text).transports.docker;
  const nameOf = (requirement: unknown) => {
    if (!isRecord(requirement)) return "?";
    if (requirement.type === "reject") return "reject";
    if (requirement.type === "insecureAcceptAnything") return "accept";
    return requirement.keyData === publicKey ? "old" : requirement.keyData === other ? "new" : "other";
  };
  return Object.fromEntries(
    Object.entries(isRecord(docker) ? docker : {}).map(([scope, list]) => [
      scope,
      Array.isArray(list) ? list.map(nameOf).join(" ") : "?",
    ]),
  );
}

const errorsOf = ({ issues }: Result) => issues.filter(({ severity }) => severity === "error");
const messagesOf = (result: Result) => errorsOf(result).map(({ message }) => message);

type Case = Readonly<{
  name: string;
  applied?: readonly KubernetesObject[];
  objects: readonly KubernetesObject[];
  scopes: Readonly<Record<string, string>>;
}>;

const cases: readonly Case[] = [
  {
    name: "nothing is applied, its scopes should be rejected",
    objects: [aClusterImagePolicy("p", ["a.io", "b.io/n"], wrong)],
    scopes: { "a.io": "reject", "b.io/n": "reject" },
  },
  {
    name: "it was applied, its scopes should keep their signature",
    applied: [aClusterImagePolicy("p", ["a.io"])],
    objects: [aClusterImagePolicy("p", ["a.io"], wrong)],
    scopes: { "a.io": "old" },
  },
  {
    name: "a scope is added to it, only that one should be rejected",
    applied: [aClusterImagePolicy("p", ["a.io"])],
    objects: [aClusterImagePolicy("p", ["a.io", "b.io"], wrong)],
    scopes: { "a.io": "old", "b.io": "reject" },
  },
  {
    name: "a scope is removed from it, that one should be open",
    applied: [aClusterImagePolicy("p", ["a.io", "b.io"])],
    objects: [aClusterImagePolicy("p", ["a.io"], wrong)],
    scopes: { "a.io": "old" },
  },
  {
    name: "its scope is accepted by a list, it should be rejected",
    applied: [anImage({ allowedRegistries: ["quay.io", "a.io"] })],
    objects: [anImage({ allowedRegistries: ["quay.io", "a.io"] }), aClusterImagePolicy("p", ["a.io"], wrong)],
    scopes: { "quay.io": "accept", "a.io": "reject" },
  },
  {
    name: "a scope around its own has a signature, its own should be rejected",
    applied: [aClusterImagePolicy("q", ["a.io"])],
    objects: [aClusterImagePolicy("q", ["a.io"]), aClusterImagePolicy("p", ["a.io/n"], wrong)],
    scopes: { "a.io": "old", "a.io/n": "reject" },
  },
  {
    name: "another policy has its scope, both requirements should stay",
    applied: [aClusterImagePolicy("p", ["a.io"]), aClusterImagePolicy("q", ["a.io"], trusting(other))],
    objects: [aClusterImagePolicy("p", ["a.io"], wrong), aClusterImagePolicy("q", ["a.io"], trusting(other))],
    scopes: { "a.io": "new old" },
  },
  {
    name: "only another policy of its scope was applied, the scope should be rejected",
    applied: [aClusterImagePolicy("q", ["a.io"], trusting(other))],
    objects: [aClusterImagePolicy("p", ["a.io"], wrong), aClusterImagePolicy("q", ["a.io"], trusting(other))],
    scopes: { "a.io": "new reject" },
  },
  {
    name: "two are left out and one of them was applied, their scope should be rejected",
    applied: [aClusterImagePolicy("p", ["a.io"])],
    objects: [aClusterImagePolicy("p", ["a.io"], wrong), aClusterImagePolicy("q", ["a.io"], wrong)],
    scopes: { "a.io": "reject" },
  },
  {
    name: "only some of its scopes are invalid, the others should get its requirement",
    objects: [aClusterImagePolicy("p", ["a.io", "https://b.io", "a.io", 5])],
    scopes: { "a.io": "old" },
  },
  {
    name: "a scope cannot be read, applied ones that nothing names should stay",
    applied: [
      anImage({ blockedRegistries: ["c.io", "d.io"] }),
      aClusterImagePolicy("p", ["a.io", "b.io"]),
      aClusterImagePolicy("q", ["e.io"]),
    ],
    objects: [
      anImage({ blockedRegistries: ["c.io"] }),
      aClusterImagePolicy("p", ["a.io", "https://b.io"], trusting(other)),
      aClusterImagePolicy("q", ["e.io"], trusting(other)),
    ],
    scopes: { "a.io": "new", "b.io": "old", "c.io": "reject", "d.io": "reject", "e.io": "new" },
  },
  {
    name: "it has another apiVersion, its scopes should be rejected",
    objects: [{ ...aClusterImagePolicy("p", ["a.io"]), apiVersion: "config.openshift.io/v1beta1" }],
    scopes: { "a.io": "reject" },
  },
  {
    name: "no API server accepts its name, its scopes should be rejected",
    objects: [aClusterImagePolicy("P/..", ["a.io"])],
    scopes: { "a.io": "reject" },
  },
  {
    name: "it has no spec, the others should be rendered",
    objects: [
      { apiVersion: "config.openshift.io/v1", kind: "ClusterImagePolicy", metadata: { name: "p" } },
      aClusterImagePolicy("q", ["a.io"]),
    ],
    scopes: { "a.io": "old" },
  },
];

describe("a ClusterImagePolicy that is left out", () => {
  test.for(cases)("When $name", ({ applied, objects, scopes }) => {
    const result = render(objects, applied);
    expect(result.refused).toBe(false);
    expect(errorsOf(result)).not.toEqual([]);
    expect(scopesIn(result)).toEqual(scopes);
    const again = configureMirrors({ ...mirrorInputOf(objects), previous: previousOf(result.files) });
    expect(scopesIn(again)).toEqual(scopes);
  });

  test("When an entry of blockedRegistries is not valid either, a second run should change nothing", () => {
    const objects = [
      anImage({ blockedRegistries: ["a.io", ""] }),
      aClusterImagePolicy("signed", ["b.io/n"]),
      aClusterImagePolicy("wrong", ["b.io"], wrong),
    ];
    const first = render(objects, []);
    const second = configureMirrors({ ...mirrorInputOf(objects), previous: previousOf(first.files) });
    expect(scopesIn(first)).toMatchObject({ "b.io": "reject", "b.io/n": "old" });
    expect(second.files).toEqual(first.files);
  });

  test("When it is left out, mirrors of others should take effect", () => {
    const result = render([
      aClusterImagePolicy("p", ["a.io"], wrong),
      anImageDigestMirrorSet("team", [{ source: "b.io", mirrors: ["m.lab/b"] }]),
    ]);
    expect(result.registriesConf).toContain("m.lab/b");
  });

  test("When it is left out, its error should say what becomes of its scopes", () => {
    const result = render(
      [aClusterImagePolicy("p", ["a.io", "b.io", "https://c.io"], wrong)],
      [aClusterImagePolicy("p", ["a.io", "c.io"])],
    );
    expect(messagesOf(result)).toEqual([
      'spec.scopes[2] must be host[:port][/path][:tag][@digest] or *.domain; what is left out opens nothing: "a.io", "c.io" keep what is applied, images in "b.io" are rejected',
      "spec.policy.rootOfTrust.publicKey.keyData must be base64",
    ]);
  });

  test("When a signature is kept, nodes should still find it at mirrors", () => {
    const mirrors = anImageDigestMirrorSet("team", [{ source: "a.io/n", mirrors: ["m.lab/a"] }]);
    const applied = [mirrors, aClusterImagePolicy("p", ["a.io"])];
    const { files } = render(applied);
    expect(render([mirrors, aClusterImagePolicy("p", ["a.io"], wrong)], applied).files).toEqual(files);
  });
});

describe("an ImagePolicy that is left out", () => {
  const scopesOf = (result: Result) => scopesIn(result, namespacePolicyPath("team"));

  test("When nothing is applied, its scopes should be rejected in its namespace only", () => {
    const result = render([anImagePolicy("team", "p", ["a.io"], wrong), aClusterImagePolicy("c", ["b.io"])]);
    expect(result.refused).toBe(false);
    expect(scopesOf(result)).toEqual({ "a.io": "reject", "b.io": "old" });
    expect(scopesIn(result)).toEqual({ "b.io": "old" });
  });

  test("When it was applied, its scopes should keep their signature, and others change", () => {
    const cluster = aClusterImagePolicy("c", ["b.io"]);
    const applied = [cluster, anImagePolicy("team", "p", ["a.io", "b.io/n"], trusting(other))];
    const objects = [
      { ...cluster, spec: { scopes: ["b.io"], policy: trusting(other) } },
      anImagePolicy("team", "p", ["a.io"], wrong),
      anImagePolicy("next", "p", ["a.io"]),
    ];
    const result = render(objects, applied);
    expect(scopesOf(result)).toEqual({ "a.io": "new", "b.io": "new" });
    expect(scopesIn(result, namespacePolicyPath("next"))).toEqual({ "a.io": "old", "b.io": "new" });
  });

  test("When its scopes cannot be read, those of its namespace should stay", () => {
    const applied = [anImagePolicy("team", "p", ["a.io"]), anImagePolicy("next", "p", ["a.io"])];
    const result = render(
      [anImagePolicy("team", "p", "a.io"), anImagePolicy("next", "p", ["b.io"])],
      applied,
    );
    expect(scopesOf(result)).toEqual({ "a.io": "old" });
    expect(scopesIn(result, namespacePolicyPath("next"))).toEqual({ "b.io": "old" });
  });

  test("When a ClusterImagePolicy that is left out covers another, the cluster's should be in force", () => {
    const result = render([
      aClusterImagePolicy("c", ["a.io"], wrong),
      anImagePolicy("team", "p", ["a.io/n"]),
    ]);
    expect(scopesIn(result)).toEqual({ "a.io": "reject" });
    expect(scopesOf(result)).toEqual({});
  });

  test("When its namespace cannot exist, it should have no file", () => {
    const { refused, files } = render([anImagePolicy("../x", "p", ["a.io"])]);
    expect({ refused, files }).toEqual({ refused: false, files: [] });
  });
});

describe("a policy around the release that is left out", () => {
  const cluster = [aClusterVersion(releaseImage), anImage({})];

  test("When nothing is applied, the release's repositories should be accepted by name, and all else rejected", () => {
    const result = render([...cluster, aClusterImagePolicy("p", ["quay.io"], wrong)]);
    expect(result.refused).toBe(false);
    expect(scopesIn(result)).toEqual({
      "quay.io": "reject",
      [payloadRepository]: "accept",
      [componentRepository]: "accept",
    });
  });

  test("When it names the release's repository, that should stay as it is applied", () => {
    const result = render([...cluster, aClusterImagePolicy("p", [payloadRepository, "a.io"], wrong)]);
    expect(scopesIn(result)).toEqual({ "a.io": "reject" });
    expect(messagesOf(result)[0]).toMatch(
      /"[^"]+" stays as applied, because images of the release are there/,
    );
  });

  test("When the release's signature is applied, it should stay", () => {
    const signed = [...cluster, aClusterImagePolicy("p", [payloadRepository])];
    const around = [...cluster, aClusterImagePolicy("p", ["quay.io"], wrong)];
    expect(scopesIn(render(around, signed))).toEqual({
      "quay.io": "reject",
      [payloadRepository]: "old",
      [componentRepository]: "accept",
    });
  });

  test("When it is not known where the release's images are, a scope around it should stay as it is applied", () => {
    const release = `r.corp.io/ocp/release@sha256:${"1".repeat(64)}`;
    const objects = [anImage({}), aClusterImagePolicy("p", ["r.corp.io"], wrong)];
    const unknown = render(objects, undefined, { releaseImage: release });
    expect({ refused: unknown.refused, scopes: scopesIn(unknown) }).toEqual({ refused: false, scopes: {} });
    expect(unknown.issues.map(({ code }) => code)).toContain("ReleaseImagesUnknown");
    const known = {
      releaseImage: release,
      releaseImages: [release, release.replace("/release@", "/parts@")],
    };
    const rejected = render(objects, undefined, known);
    const scopes = {
      "r.corp.io": "reject",
      "r.corp.io/ocp/parts": "accept",
      "r.corp.io/ocp/release": "accept",
    };
    expect(scopesIn(rejected)).toEqual(scopes);
    const forgotten = render(objects, undefined, {
      releaseImage: release,
      previous: previousOf(rejected.files),
    });
    expect(scopesIn(forgotten)).toEqual(scopes);
  });
});

test("With compat, any policy with an error should refuse the configuration, as machine-config-operator does", () => {
  const { rootOfTrust } = simplePolicy;
  const unknown = { rootOfTrust, signedIdentity: { matchPolicy: "Any" } };
  const input = mirrorInputOf([
    aClusterVersion(releaseImage),
    anImage({}),
    aClusterImagePolicy("p", ["a.io"], unknown),
  ]);
  expect(configureMirrors(input, { compat: "mco" }).refused).toBe(true);
  expect(configureMirrors(input).refused).toBe(false);
});
