import { hash } from "node:crypto";
import { expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { nodePaths } from "../openshift/machine-config/node-file.ts";
import { configureMirrors, type MirrorInput, type MirrorOptions } from "./configuration.ts";
import { anImage, anImageDigestMirrorSet } from "./fixtures.ts";
import { aClusterImagePolicy, anImagePolicy, certificate } from "./policies/fixtures.ts";

/* What machine-config-operator of each release writes from the same objects. */

const stored = { isStored: true } as const;
const rules = [{ source: "a.io/b", mirrors: ["m.lab/b"] }];
const image = anImage({ containerRuntimeSearchRegistries: ["s.io"] });

function policies(version: string): readonly KubernetesObject[] {
  const apiVersion = `config.openshift.io/${version}`;
  return [
    { ...aClusterImagePolicy("p", ["a.io"]), apiVersion },
    { ...anImagePolicy("shop", "q", ["c.io"]), apiVersion },
  ];
}

function filesOf(input: Partial<MirrorInput>, options: MirrorOptions = stored): ReadonlyMap<string, string> {
  const objects = [anImageDigestMirrorSet("i", rules), ...(input.objects ?? [])];
  const { files } = configureMirrors({ image, ...input, objects }, options);
  return new Map(files.map(({ path, contents }) => [path, contents]));
}

const newer = ["short-name-mode", "additional-layer-store-auth-helper"];

test.for([
  ["4.16.3", ["short-name-mode"], "3.4.0"],
  ["4.18.9", ["short-name-mode"], "3.4.0"],
  ["4.19.0", newer, "3.5.0"],
  ["5.1", newer, "3.5.0"],
] as const)("When the release is $0, its keys and its Ignition should be written", (row) => {
  const [releaseVersion, lines, ignition] = row;
  const files = filesOf({ releaseVersion });
  for (const path of [nodePaths.registriesConf, nodePaths.searchRegistries])
    expect(files.get(path)?.match(/^[a-z-]+(?= = "")/gm), path).toEqual(lines);
  expect(configureMirrors({ objects: [], releaseVersion }, stored).ignition).toBe(ignition);
});

test("When no release is known, hubrelay should write a version of Ignition that every release reads", () => {
  expect(configureMirrors({ objects: [] }, { writer: "hubrelay" }).ignition).toBe("3.4.0");
  expect(configureMirrors({ objects: [] }).ignition).toBe("3.5.0");
});

const crioPolicy = "/etc/crio/policies/shop.json";

const [compact, one, two] = [
  '{"default":[{"type":"',
  '{\n "default": [\n  {\n',
  '{\n  "default": [\n    {\n',
];

test.for([
  ["4.16", compact, undefined, false],
  ["4.17", two, undefined, true],
  ["4.18", two, one, true],
  ["4.19", two, two, true],
] as const)("When image policies are written for $0, they should be in its form", (row) => {
  const [releaseVersion, policy, namespace, mirrors] = row;
  const files = filesOf({ releaseVersion, objects: policies("v1alpha1") });
  const start = (path: string, length: number) => files.get(path)?.slice(0, length);
  expect(start(nodePaths.policy, policy.length)).toBe(policy);
  expect(start(crioPolicy, namespace?.length ?? 0)).toBe(namespace);
  expect(files.get(nodePaths.sigstoreRegistries)?.includes("m.lab/b")).toBe(mirrors);
  const content = (text: string | undefined): unknown => JSON.parse(text ?? "null");
  const newest = filesOf({ objects: policies("v1") });
  expect(content(files.get(nodePaths.policy))).toEqual(content(newest.get(nodePaths.policy)));
});

test("When the payload has a policy of its own, the files should have the bytes of a node with it", () => {
  const mirrors = ["registry.corp.example:5000/openshift/release"];
  const publisher = "quay.io/openshift-release-dev";
  const own = [`${publisher}/ocp-release`, `${publisher}/ocp-v4.0-art-dev`].map((source) => ({
    source,
    mirrors,
  }));
  const files = configureMirrors(
    { objects: [anImageDigestMirrorSet("release", own)], image: anImage({}), releaseVersion: "4.22.6" },
    stored,
  ).files;
  expect(files.map(({ path, contents }) => [path, hash("sha256", contents)])).toEqual([
    [nodePaths.registriesConf, "20bd8fca12c4d85ec94491205ecf98f4b69dd4890192e482b6d7de8fee87cc97"],
    [nodePaths.policy, "d5f2aacc0250d12041d3d6c1c3ab194f05ee4788627554da10434aed27be5cfa"],
    [nodePaths.sigstoreRegistries, "502deef3cd6efb44c509a16212cbd7bac386e07c1a3d7be4a05fec6662d8dce6"],
  ]);
});

test("When a list does not allow a scope of the payload's policy, the remedy should be in the list", () => {
  const allowed = [
    "quay.io/openshift-release-dev/ocp-release",
    "quay.io/openshift-release-dev/ocp-v4.0-art-dev",
  ];
  const { refused, issues } = configureMirrors(
    { objects: [], image: anImage({ allowedRegistries: allowed }), releaseVersion: "4.22.6" },
    stored,
  );
  expect(refused).toBe(true);
  expect(issues.filter(({ severity }) => severity === "error")).toMatchObject([
    {
      code: "PolicyScopeNotAllowed",
      object: { kind: "ClusterImagePolicy", name: "openshift" },
      value: "quay.io/openshift-release-dev/ocp-v5.0-art-dev",
      remedy:
        "Add the scope to spec.registrySources.allowedRegistries of Image/cluster: the release applies this policy itself.",
    },
  ]);
});

test("When the payload has a policy of its own, nothing should be reported about it", () => {
  expect(issuesOf({ releaseVersion: "4.22.6" }, {})).toEqual([]);
});

const issuesOf = (input: Partial<MirrorInput>, options: MirrorOptions = stored) =>
  configureMirrors({ objects: [], ...input }, options).issues.map(({ code, severity, object }) =>
    [severity, code, object.kind].join(" "),
  );

test.for([
  { releaseVersion: "4.19.1", version: "v1alpha1", issues: [] },
  { releaseVersion: "4.20.1", version: "v1", issues: [] },
  { releaseVersion: "4.19.1", version: "v1", issues: ["WrongApiVersion", "WrongApiVersion"] },
  { releaseVersion: "4.20.1", version: "v1alpha1", issues: ["WrongApiVersion", "WrongApiVersion"] },
])("When policies of $version are given for $releaseVersion, the issues should be $issues", (row) => {
  const found = configureMirrors({ objects: policies(row.version), releaseVersion: row.releaseVersion });
  expect(found.issues.map(({ code }) => code).filter((code) => code === "WrongApiVersion")).toEqual(
    row.issues,
  );
});

test("When 4.17 is given an ImagePolicy, it should be a warning that nothing reads it", () => {
  const objects = policies("v1alpha1");
  expect(issuesOf({ objects, releaseVersion: "4.17.1" })).toContain("warning ImagePolicyNotRead ImagePolicy");
});

test("When a scope contains the payload, only 4.16 should skip it", () => {
  const releaseImage = `q.io/release/ocp@sha256:${"a".repeat(64)}`;
  const cluster = { ...aClusterImagePolicy("p", ["q.io"]), apiVersion: "config.openshift.io/v1alpha1" };
  const given = { objects: [cluster], releaseImage };
  expect(issuesOf({ ...given, releaseVersion: "4.16" })).toContain(
    "warning ConflictScopes ClusterImagePolicy",
  );
  expect(filesOf({ ...given, releaseVersion: "4.16" }).has(nodePaths.policy)).toBe(false);
  expect(filesOf({ ...given, releaseVersion: "4.17" }).has(nodePaths.policy)).toBe(true);
});

test("When nodes do not know the root of trust PKI, it should refuse everything", () => {
  const rootOfTrust = {
    policyType: "PKI",
    pki: { caRootsData: certificate, pkiCertificateSubject: { email: "a@example.com" } },
  };
  const policy = { ...aClusterImagePolicy("p", ["a.io"]), apiVersion: "config.openshift.io/v1alpha1" };
  const objects = [{ ...policy, spec: { scopes: ["a.io"], policy: { rootOfTrust } } }];
  const found = ["4.16", "4.18", "4.19"].map((releaseVersion) =>
    configureMirrors({ objects, releaseVersion }),
  );
  expect(found.map(({ refused }) => refused)).toEqual([true, true, false]);
  expect(found.at(-1)?.files.some(({ contents }) => contents.includes("pki"))).toBe(true);
});
