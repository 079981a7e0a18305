import { describe, expect, test } from "vitest";
import { nodePaths } from "../../machine-config/node-file.ts";
import { configureMirrors, previousOf } from "../configuration.ts";
import { explainSources } from "../explain/explain-source.ts";
import {
  aClusterVersion,
  anImage,
  anImageDigestMirrorSet,
  anImageTagMirrorSet,
  componentRepository,
  internalRegistry,
  issueLines,
  payloadRepository,
  releaseImage,
} from "../fixtures.ts";
import { showEntries } from "../registries-conf/fixtures.ts";

// What must not happen to the image that nodes upgrade and repair themselves with.

const good = { source: "good.io", mirrors: ["m.lab/good"] };
const compat = { compat: "mco" } as const;

const clusterVersion = aClusterVersion(releaseImage);
const mirrored = anImageDigestMirrorSet("ocp", [
  { source: payloadRepository, mirrors: ["m.lab/ocp"] },
  { source: componentRepository, mirrors: ["m.lab/components"] },
]);
const blockedEntries = [
  `${payloadRepository} blocked m.lab/ocp`,
  `${componentRepository} blocked m.lab/components`,
  "quay.io blocked",
];
const blocked = `${"spec.registrySources.blockedRegistries"}[0]`;

test("When it has no other location, a scope around it should be blocked without it, with an issue on the Image", () => {
  const input = {
    objects: [],
    image: anImage({ blockedRegistries: ["quay.io", "docker.io"] }),
    clusterVersion,
  };
  const rendered = configureMirrors(input);
  expect(showEntries(rendered.entries)).toEqual([
    "quay.io blocked",
    "docker.io blocked",
    payloadRepository,
    componentRepository,
  ]);
  const policy = JSON.parse(rendered.files.find(({ path }) => path === nodePaths.policy)?.contents ?? "");
  expect(policy.transports.docker).toEqual({
    "docker.io": [{ type: "reject" }],
    "quay.io": [{ type: "reject" }],
    [payloadRepository]: [{ type: "insecureAcceptAnything" }],
    [componentRepository]: [{ type: "insecureAcceptAnything" }],
  });
  expect(showEntries(configureMirrors(input, compat).entries)).toEqual(["docker.io blocked"]);
  expect(issueLines(input)).toEqual([`error PayloadBlocked cluster ${blocked}`]);
  expect(issueLines(input, compat)).toEqual([`warning PayloadBlocked cluster ${blocked}`]);
  expect(configureMirrors(input, { strict: true }).refused).toBe(true);
});

test("When it is exempt and the mirror sets become unreadable, applying that again should change nothing", () => {
  const unreadable = { ...anImageDigestMirrorSet("ocp", []), spec: { imageDigestMirrors: "" } };
  const image = anImage({ blockedRegistries: ["quay.io"] });
  const input = { objects: [unreadable], image, clusterVersion };
  const first = configureMirrors(input);
  const again = configureMirrors({ ...input, previous: previousOf(first.files) });
  expect(again).toMatchObject({ refused: false, files: first.files });
  expect(showEntries(again.entries)).toEqual(["quay.io blocked", payloadRepository, componentRepository]);
});

test("When only its components have no other location, only they should be exempt", () => {
  const ocp = anImageDigestMirrorSet("ocp", [{ source: payloadRepository, mirrors: ["m.lab/ocp"] }]);
  const input = {
    objects: [ocp],
    image: anImage({ blockedRegistries: ["quay.io", "quay.io/openshift-release-dev"] }),
    clusterVersion,
  };
  const { entries, issues, basis } = configureMirrors(input);
  expect(showEntries(entries)).toEqual([
    `${payloadRepository} blocked m.lab/ocp`,
    "quay.io blocked",
    "quay.io/openshift-release-dev blocked",
    componentRepository,
  ]);
  expect(issues.filter(({ code }) => code === "PayloadBlocked")).toMatchObject([
    {
      path: blocked,
      message: `"quay.io" is blocked without "${componentRepository}": images of the release payload are there, and no open mirror has them`,
    },
    { path: "spec.registrySources.blockedRegistries[1]" },
  ]);
  const explained = basis && explainSources(entries, basis, componentRepository);
  expect(explained).toMatchObject([{ blockedBy: [] }]);
});

test("When a mirror of it is in the blocked scope, the scope should be left out if it has a rule that forbids its source", () => {
  const never = { mirrorSourcePolicy: "NeverContactSource" };
  const ocp = anImageDigestMirrorSet("ocp", [
    { source: payloadRepository, mirrors: ["quay.io/mirror/ocp"], ...never },
  ]);
  const image = anImage({ blockedRegistries: ["quay.io", "docker.io"] });
  const { refused, entries } = configureMirrors({ objects: [ocp], image, clusterVersion });
  expect(refused).toBe(false);
  expect(showEntries(entries)).toEqual([
    `${payloadRepository} blocked quay.io/mirror/ocp`,
    "docker.io blocked",
  ]);
});

test("When a rule around it forbids contacting its source, an exemption should not open it", () => {
  const never = { mirrorSourcePolicy: "NeverContactSource" };
  const around = anImageDigestMirrorSet("ocp", [
    { source: "quay.io/openshift-release-dev", mirrors: ["quay.io/mirror"], ...never },
  ]);
  const image = anImage({ blockedRegistries: ["quay.io"] });
  const { refused, entries } = configureMirrors({ objects: [around], image, clusterVersion });
  expect(refused).toBe(false);
  expect(showEntries(entries)).toEqual(["quay.io/openshift-release-dev blocked quay.io/mirror"]);
});

test("When it is not known where all of its images are, a scope around it should be left out", () => {
  const image = anImage({ blockedRegistries: ["r.corp.io", "docker.io"] });
  const { entries, issues } = configureMirrors({
    objects: [],
    image,
    clusterVersion: aClusterVersion(`r.corp.io/ocp/release@sha256:${"1".repeat(64)}`),
  });
  expect(showEntries(entries)).toEqual(["docker.io blocked"]);
  expect(issues.map(({ code }) => code)).toEqual(["ReleaseImagesUnknown", "PayloadBlocked"]);
});

describe("a release whose images are in unknown repositories, in a blocked scope", () => {
  const of = (name: string) => `r.corp.io/ocp/${name}@sha256:${"1".repeat(64)}`;
  const input = {
    objects: [
      anImageDigestMirrorSet("ocp", [{ source: "r.corp.io/ocp/mirrored", mirrors: ["m.lab/mirrored"] }]),
    ],
    image: anImage({ blockedRegistries: ["r.corp.io"] }),
    releaseImage: of("release"),
  };
  const known = { ...input, releaseImages: ["components", "mirrored"].map(of) };
  const entries = [
    "r.corp.io/ocp/mirrored blocked m.lab/mirrored",
    "r.corp.io blocked",
    "r.corp.io/ocp/release",
    "r.corp.io/ocp/components",
  ];

  test("When the block is applied, it should stay, without the repositories that are accepted in it", () => {
    const applied = configureMirrors(known);
    expect(showEntries(applied.entries)).toEqual(entries);
    const again = configureMirrors({ ...input, previous: previousOf(applied.files) });
    expect(again.files).toEqual(applied.files);
  });

  test("When a mirror set of its images is deleted then, they should stay pullable", () => {
    const previous = previousOf(configureMirrors(known).files);
    const without = configureMirrors({ ...input, objects: [], previous });
    expect(without.refused).toBe(false);
    expect(showEntries(without.entries)).toEqual([...entries.slice(1), "r.corp.io/ocp/mirrored"]);
  });

  test("When mirrors of some lacked their images, these should stay open", () => {
    const absentImages = new Set([`m.lab/mirrored@sha256:${"1".repeat(64)}`]);
    const applied = configureMirrors({ ...known, absentImages });
    expect(showEntries(applied.entries)).toContain("r.corp.io/ocp/mirrored m.lab/mirrored");
    const { entries: after } = configureMirrors({ ...input, previous: previousOf(applied.files) });
    expect(showEntries(after)).toContain("r.corp.io/ocp/mirrored m.lab/mirrored");
  });

  test("When the block is not applied, it should be left out", () => {
    const previous = previousOf(configureMirrors({ ...known, image: anImage({}) }).files);
    const rendered = configureMirrors({ ...input, previous });
    expect(showEntries(rendered.entries)).toEqual(["r.corp.io/ocp/mirrored m.lab/mirrored"]);
    expect(rendered.issues.map(({ code }) => code)).toEqual(["ReleaseImagesUnknown", "PayloadBlocked"]);
  });
});

test("When it has a mirror, its source should be blocked and its names accepted", () => {
  const input = { objects: [mirrored], image: anImage({ blockedRegistries: ["quay.io"] }), releaseImage };
  const { entries, files, issues } = configureMirrors(input);
  expect(issues).toEqual([]);
  expect(showEntries(entries)).toEqual(blockedEntries);
  const policy = JSON.parse(files.find(({ path }) => path === nodePaths.policy)?.contents ?? "");
  expect(policy.transports.docker).toEqual({
    "quay.io": [{ type: "reject" }],
    [payloadRepository]: [{ type: "insecureAcceptAnything" }],
    [componentRepository]: [{ type: "insecureAcceptAnything" }],
  });
});

test("When exactly its repository is blocked, only machine-config-operator should reject everything else", () => {
  const input = {
    objects: [mirrored],
    image: anImage({ blockedRegistries: [payloadRepository] }),
    clusterVersion,
  };
  expect(configureMirrors(input).files.map(({ path }) => path)).toEqual([nodePaths.registriesConf]);
  const likeMco = configureMirrors(input, compat);
  expect(likeMco.issues.map(({ code }) => code)).toEqual(["OnlyPayloadAllowed"]);
  expect(JSON.parse(likeMco.files[1]?.contents ?? "").default).toEqual([{ type: "reject" }]);
});

test("When two blocked scopes contain it, only machine-config-operator should fail", () => {
  const image = anImage({ blockedRegistries: ["quay.io", "quay.io/openshift-release-dev"] });
  const input = { objects: [mirrored], image, clusterVersion };
  expect(configureMirrors(input)).toMatchObject({ refused: false, issues: [{ code: "RedundantScope" }] });
  expect(configureMirrors(input, compat)).toMatchObject({
    refused: true,
    issues: [{ code: "AllowedAndBlocked" }],
  });
});

test("When a wildcard source breaks the guard, only machine-config-operator should block nothing", () => {
  const input = {
    objects: [mirrored, anImageDigestMirrorSet("wild", [{ source: "*.corp.io", mirrors: ["m.lab/c"] }])],
    image: anImage({ blockedRegistries: ["quay.io", "x.corp.io"] }),
    clusterVersion,
  };
  expect(
    showEntries(configureMirrors(input).entries).filter((line) => line.includes("blocked")),
  ).toHaveLength(4);
  const likeMco = configureMirrors(input, compat);
  expect(likeMco).toMatchObject({
    refused: false,
    issues: [{ code: "GuardFailedOpen", severity: "warning" }],
  });
  expect(showEntries(likeMco.entries).filter((line) => line.includes("blocked"))).toEqual([]);
});

test("When a mirror of it is a bare host, the rule should be left out, and the guard still work", () => {
  const bare = anImageDigestMirrorSet("bare", [{ source: payloadRepository, mirrors: ["m.lab"] }, good]);
  const input = {
    objects: [bare, mirrored],
    image: anImage({ blockedRegistries: ["quay.io"] }),
    clusterVersion,
  };
  const rendered = configureMirrors(input);
  expect(showEntries(rendered.entries)).toEqual(["good.io m.lab/good", ...blockedEntries]);
  expect(rendered).toMatchObject({ applied: 3, leftOut: 1 });
  expect(issueLines(input)).toEqual(["error MirrorBreaksPayload bare spec.imageDigestMirrors[0].mirrors"]);
  expect(issueLines(input, compat)).toContain(
    "warning GuardFailedOpen cluster spec.registrySources.blockedRegistries",
  );
});

test("When a rule makes it unreachable, it should refuse everything, naming the rule", () => {
  const never = { mirrorSourcePolicy: "NeverContactSource" };
  const tags = anImageTagMirrorSet("tags", [{ source: "quay.io", mirrors: ["m.lab"], ...never }]);
  const input = { objects: [tags], clusterVersion };
  expect(configureMirrors(input)).toMatchObject({ refused: true, files: [] });
  expect(issueLines(input)).toEqual([
    "error PayloadUnreachable tags spec.imageTagMirrors[0].source",
    "warning PullsWithoutLocation tags spec.imageTagMirrors[0].mirrorSourcePolicy",
  ]);
  expect(configureMirrors(input, compat).refused).toBe(false);
  expect(issueLines(input, compat)).toEqual([
    "warning PayloadUnreachable tags spec.imageTagMirrors[0].source",
  ]);
});

test("When it is not in the allowed list, it should refuse everything", () => {
  const image = anImage({ allowedRegistries: ["a.io", internalRegistry] });
  const input = { objects: [], image, clusterVersion };
  expect(configureMirrors(input).refused).toBe(true);
  expect(issueLines(input)).toEqual([
    "error PayloadNotAllowed cluster spec.registrySources.allowedRegistries",
  ]);
  expect(configureMirrors(input, compat).refused).toBe(false);
  expect(issueLines(input, compat)).toEqual([
    "warning PayloadNotAllowed cluster spec.registrySources.allowedRegistries",
  ]);
});

test.for<{ name: string; lists: Record<string, unknown>; severity: string; isRefused: boolean }>([
  {
    name: "something is blocked",
    lists: { blockedRegistries: ["b.io"] },
    severity: "error",
    isRefused: true,
  },
  { name: "nothing is blocked", lists: {}, severity: "warning", isRefused: false },
])("When it is unreadable and $name, the severity should be $severity", ({ lists, severity, isRefused }) => {
  const input = { objects: [], image: anImage(lists), clusterVersion: aClusterVersion("") };
  expect(configureMirrors(input).refused).toBe(isRefused);
  expect(issueLines(input)).toEqual([`${severity} InvalidReleaseImage version status.desired.image`]);
  expect(configureMirrors(input, compat).refused).toBe(true);
});

test("When there is no Image configuration, an unreadable one should not matter", () => {
  expect(issueLines({ objects: [mirrored], clusterVersion: aClusterVersion(undefined) })).toEqual([]);
});
