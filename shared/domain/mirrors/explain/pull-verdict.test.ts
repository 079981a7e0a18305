import { describe, expect, test } from "vitest";
import { nodePaths, textFile } from "../../openshift/machine-config/node-file.ts";
import { configureMirrors, type MirrorInput } from "../configuration.ts";
import { anImage, anImageDigestMirrorSet } from "../fixtures.ts";
import { aClusterImagePolicy } from "../policies/fixtures.ts";
import { explainImage, type ImageExplanation } from "./explain-image.ts";
import { type PullVerdict, pullVerdict } from "./pull-verdict.ts";

function explain(...args: Parameters<typeof explainImage>): ImageExplanation {
  const explanation = explainImage(...args);
  if ("problem" in explanation) throw new Error(explanation.problem);
  return explanation;
}

function verdictOf(image: string, input: MirrorInput): PullVerdict {
  const { files, entries, basis } = configureMirrors(input);
  return pullVerdict(explain(image, files), { renderedFrom: basis && { entries, basis } });
}

const byDigest = `quay.io/ns/app@sha256:${"d".repeat(64)}`;
const digestOf = (repository: string) => `${repository}@sha256:${"d".repeat(64)}`;
const mirrored = (mirrors: readonly string[], mirrorSourcePolicy?: string) =>
  anImageDigestMirrorSet("a", [
    { source: "quay.io/ns", mirrors, ...(mirrorSourcePolicy ? { mirrorSourcePolicy } : {}) },
  ]);
const closed = (...mirrors: readonly string[]) => mirrored(mirrors, "NeverContactSource");
const rule = "ImageDigestMirrorSet/a spec.imageDigestMirrors[0]";

describe("pullVerdict of images that nodes can pull", () => {
  const fromFirst = `from ${digestOf("m.lan/ns/app")}`;
  const inTurn = `in turn from ${digestOf("n.lan/ns/app")}, the source itself`;
  const noDocker = { objects: [], image: anImage({ blockedRegistries: ["docker.io"] }) };
  const alpine = "from registry.access.redhat.com/alpine:latest only";
  const [source, only] = ["from the source itself", "from the source itself only"];

  test.for<readonly [name: string, image: string, objects: MirrorInput["objects"], text: string]>([
    ["no rule matches", "quay.io/ns/app:v1", [], only],
    ["a mirror comes first", byDigest, [mirrored(["m.lan/ns"])], `${fromFirst}; if that fails, ${source}`],
    ["two follow", byDigest, [mirrored(["m.lan/ns", "n.lan/ns"])], `${fromFirst}; if that fails, ${inTurn}`],
    ["only a mirror may be used", byDigest, [closed("m.lan/ns")], `${fromFirst} only`],
  ])("When $0, it should say from where, and what follows", ([, image, objects, text]) => {
    expect(verdictOf(image, { objects })).toEqual({ pullable: true, text: `Nodes pull ${image} ${text}.` });
  });

  test("When one of the search registries is blocked, it should name the other", () => {
    expect(verdictOf("alpine", noDocker)).toEqual({ pullable: true, text: `Nodes pull alpine ${alpine}.` });
  });

  test("When the policy requires a signature, it should say so", () => {
    const policy = textFile(
      nodePaths.policy,
      '{"default":[{"type":"signedBy","keyType":"GPGKeys","keyPath":"/k"}]}',
    );
    expect(pullVerdict(explain("quay.io/app:v1", [policy])).text).toBe(
      "Nodes pull quay.io/app:v1 from the source itself only; they require a signature, by /etc/containers/policy.json.",
    );
  });

  test("When an object requires it, it should be named, and the payload's as part of the release", () => {
    const image = "quay.io/openshift-release-dev/ocp-release:4.22.6-x86_64";
    const objects = [aClusterImagePolicy("signed", ["quay.io/app"])];
    expect(verdictOf("quay.io/app:v1", { objects }).text).toMatch(
      /; they require a signature, by ClusterImagePolicy\/signed\.$/,
    );
    expect(verdictOf(image, { objects: [], releaseVersion: "4.22.6" }).text).toMatch(
      /; they require a signature, by ClusterImagePolicy\/openshift, which is part of the release\.$/,
    );
    expect(verdictOf(image, { objects: [], releaseVersion: "4.20.6" }).text).not.toContain("signature");
  });
});

describe("pullVerdict of images that no node can pull", () => {
  const mode = (name: string, value: string) =>
    textFile(`/etc/crio/crio.conf.d/${name}`, `[crio.image]\nshort_name_mode = "${value}"\n`);
  const byMco = mode("00-default", "disabled");
  const enforcing = mode("99-short", "enforcing");
  const twoRegistries = "registry.access.redhat.com/app:latest";
  test.for([
    { what: "only machine-config-operator's drop-in says so", files: [byMco], from: twoRegistries },
    { what: "a later drop-in permits it", files: [enforcing, mode("99-z", "disabled")], from: twoRegistries },
    { what: "CRI-O's drop-in is not TOML", files: [textFile(enforcing.path, "[[")], from: twoRegistries },
    {
      what: "there is one search registry",
      files: [enforcing, textFile(nodePaths.registriesConf, 'unqualified-search-registries = ["a.io"]\n')],
      from: "a.io/app:latest",
    },
    {
      what: "it has an alias",
      files: [enforcing, textFile(nodePaths.registriesConf, '[aliases]\napp = "a.io/ns/app"\n')],
      from: "a.io/ns/app:latest",
    },
  ])("When $what, a short name should be pulled from $from", ({ files, from }) => {
    expect(pullVerdict(explain("app", files)).text).toContain(`pull app from ${from}`);
  });

  test("When a MachineConfig makes CRI-O enforce short names, a name of two registries should not be pullable", () => {
    const explanation = explain("app", [byMco, { ...enforcing, writtenBy: "99-worker-short" }]);
    expect(pullVerdict(explanation)).toEqual({
      pullable: false,
      text: "No node can pull app: several search registries may have it, which short_name_mode in /etc/crio/crio.conf.d/99-short of MachineConfig 99-worker-short forbids; change /etc/crio/crio.conf.d/99-short of MachineConfig 99-worker-short or name app with its registry.",
    });
    expect(explanation.names.flatMap(({ candidates }) => candidates.map(({ taken }) => taken))).toEqual([
      false,
      false,
    ]);
  });

  test.for<[name: string, image: string, input: MirrorInput, because: string]>([
    [
      "only digests have mirrors, and the source must not be contacted",
      "quay.io/ns/app:v1",
      { objects: [closed("m.lan/ns")] },
      `quay.io/ns is blocked, and no mirror of it serves pulls by tag; change ${rule}.mirrorSourcePolicy or add an open mirror of quay.io/ns to an ImageTagMirrorSet.`,
    ],
    [
      "the mirror is blocked as well",
      byDigest,
      { objects: [closed("m.lan/ns")], image: anImage({ blockedRegistries: ["m.lan"] }) },
      `quay.io/ns is blocked, and every mirror for pulls by digest is blocked; change ${rule}.mirrorSourcePolicy or Image/cluster spec.registrySources.blockedRegistries[0] or add an open mirror of quay.io/ns to an ImageDigestMirrorSet.`,
    ],
    [
      "the registry is blocked",
      "quay.io/ns/app:v1",
      { objects: [], image: anImage({ blockedRegistries: ["quay.io"] }) },
      "the signature policy in /etc/containers/policy.json rejects it; quay.io is blocked, and it has no mirror; change Image/cluster spec.registrySources.blockedRegistries[0].",
    ],
    [
      "the registry is not allowed",
      "quay.io/ns/app:v1",
      { objects: [], image: anImage({ allowedRegistries: ["m.lan"] }) },
      "the signature policy in /etc/containers/policy.json rejects it; change Image/cluster spec.registrySources.allowedRegistries.",
    ],
    [
      "a mirror of a repository has no path",
      byDigest,
      { objects: [anImageDigestMirrorSet("a", [{ source: "quay.io/ns/app", mirrors: ["m.lan"] }])] },
      `m.lan is not an image reference, so the runtime gives up before it tries any location; change ${rule}.mirrors[0].`,
    ],
  ])("When %s, it should say why, and what to change", ([, image, input, because]) => {
    expect(verdictOf(image, input)).toEqual({
      pullable: false,
      text: `No node can pull ${image}: ${because}`,
    });
  });

  test("When two fields block the source, both should have to change", () => {
    const image = anImage({ blockedRegistries: ["quay.io/ns"] });
    expect(verdictOf("quay.io/ns/app:v1", { objects: [closed("m.lan/ns")], image }).text).toContain(
      `change Image/cluster spec.registrySources.blockedRegistries[0] and ${rule}.mirrorSourcePolicy.`,
    );
  });

  test("When the files are those of a node, it should name them", () => {
    const conf = textFile(nodePaths.registriesConf, '[[registry]]\nlocation = "quay.io"\nblocked = true\n');
    expect(pullVerdict(explain("quay.io/app:v1", [conf]), { which: "with these files" }).text).toBe(
      "No node with these files can pull quay.io/app:v1: quay.io is blocked, and it has no mirror; change entry quay.io of /etc/containers/registries.conf.",
    );
    const policy = textFile(nodePaths.policy, '{"default":[{"type":"reject"}]}');
    expect(pullVerdict(explain("quay.io/app:v1", [policy])).text).toContain(
      "rejects it; change /etc/containers/policy.json.",
    );
  });

  test("When a MachineConfig writes the entry, it should name that", () => {
    const conf = '[[registry]]\nlocation = "quay.io"\nblocked = true\n';
    const dropIn = textFile("/etc/containers/registries.conf.d/99-x.conf", conf);
    const { entries, basis } = configureMirrors({ objects: [closed("m.lan/ns")] });
    const renderedFrom = basis && { entries, basis };
    const explanation = explain("quay.io/app:v1", [{ ...dropIn, writtenBy: "99-worker-x" }]);
    expect(pullVerdict(explanation, { renderedFrom }).text).toContain(
      "change entry quay.io of /etc/containers/registries.conf.d/99-x.conf of MachineConfig 99-worker-x or",
    );
  });
});
