import { describe, expect, test } from "vitest";
import { configureMirrors, type MirrorInput } from "../configuration.ts";
import {
  aClusterVersion,
  anImage,
  anImageDigestMirrorSet,
  anImageTagMirrorSet,
  componentRepository,
  internalRegistry,
  payloadRepository,
  releaseImage,
} from "../fixtures.ts";

/* The images in a release are in other repositories than the release image itself: nodes need those as well. */

const digest = (digit: string) => `sha256:${digit.repeat(64)}`;
const [four, five, third] = [
  componentRepository,
  "quay.io/openshift-release-dev/ocp-v5.0-art-dev",
  "registry.example.com/third/party",
] as const;
/** A generated payload of 5.0: what its image-references name. */
const releaseImages = Array.from({ length: 190 }, (_, index) => {
  const repository = [four, five, third][index % 3];
  return `${repository}@sha256:${index.toString(16).padStart(64, "0")}`;
});
const clusterVersion = aClusterVersion(releaseImage);
const five0 = { objects: [], clusterVersion, releaseImages };
const errors = (input: MirrorInput) =>
  configureMirrors(input).issues.flatMap(({ code, severity, path }) =>
    severity === "error" ? [`${code} ${path}`] : [],
  );
const never = { mirrorSourcePolicy: "NeverContactSource" };
const listOf = (name: string) => `spec.registrySources.${name}`;

describe("a generated payload of 5.0", () => {
  const writesNothing = (input: MirrorInput) => {
    const { refused, files } = configureMirrors(input, { writer: "hubrelay" });
    return refused && files.length === 0;
  };

  test.for([four, five, third])(
    "When %s is blocked and has no mirror, it should be an error, and hubrelay write nothing",
    (repository) => {
      const input = { ...five0, image: anImage({ blockedRegistries: [repository, "docker.io"] }) };
      expect(errors(input)).toEqual([`PayloadUnreachable ${listOf("blockedRegistries")}[0]`]);
      expect(writesNothing(input)).toBe(true);
    },
  );

  test.for([four, five, third, payloadRepository])(
    "When %s is not allowed, it should be an error, and hubrelay write nothing",
    (repository) => {
      const others = [four, five, third, payloadRepository].filter((one) => one !== repository);
      const input = { ...five0, image: anImage({ allowedRegistries: [...others, internalRegistry] }) };
      expect(writesNothing(input)).toBe(true);
      expect(configureMirrors(input).issues).toMatchObject([
        { code: "PayloadNotAllowed", message: expect.stringContaining(`payload "${repository}" is not`) },
      ]);
    },
  );

  test.for([four, five, third])(
    "When the tag mirrors of %s forbid contacting it, it should be an error, and hubrelay write nothing",
    (source) => {
      const tags = anImageTagMirrorSet("tags", [{ source, mirrors: ["m.lab/x"], ...never }]);
      const input = { ...five0, objects: [tags] };
      expect(writesNothing(input)).toBe(true);
      expect(errors(input)).toEqual(["PayloadUnreachable spec.imageTagMirrors[0].source"]);
    },
  );
});

describe("mirrors that do not have the images", () => {
  const image = `${five}@${digest("c")}`;
  const mirrored = (policy = never) =>
    anImageDigestMirrorSet("ocp", [{ source: five, mirrors: ["m.lab/x", "n.lab/x"], ...policy }]);
  const input = (absent: readonly string[]) => ({
    objects: [mirrored()],
    clusterVersion,
    releaseImages: [image],
    absentImages: new Set(absent.map((place) => `${place}@${digest("c")}`)),
  });

  test("When one of the mirrors has them, it should render", () => {
    expect(configureMirrors(input(["m.lab/x"]))).toMatchObject({ refused: false, issues: [] });
  });
});

describe("a release that was not read", () => {
  const versioned = (version: string) => ({
    ...clusterVersion,
    status: { desired: { image: releaseImage, version } },
  });

  test.for([
    { version: "4.22.1", blocked: four },
    { version: "5.0.0", blocked: four },
    { version: "5.0.0", blocked: five },
  ])("When it is OpenShift $version, blocking $blocked should be an error", ({ version, blocked }) => {
    const image = anImage({ blockedRegistries: [blocked] });
    expect(errors({ objects: [], image, clusterVersion: versioned(version) })).toEqual([
      `PayloadUnreachable ${listOf("blockedRegistries")}[0]`,
    ]);
  });

  test("When it is OpenShift 4, the repository of a later version should not be needed", () => {
    const image = anImage({ blockedRegistries: [five] });
    expect(errors({ objects: [], image, clusterVersion: versioned("4.22.1") })).toEqual([]);
  });

  test("When it was read, only what it names should be needed", () => {
    const image = anImage({ blockedRegistries: [four] });
    expect(errors({ objects: [], image, clusterVersion, releaseImages: [`${five}@${digest("1")}`] })).toEqual(
      [],
    );
  });
});

test("When machine-config-operator blocks a repository of the components, it should be a warning that names the scope", () => {
  const image = anImage({ blockedRegistries: [four] });
  const { refused, issues, entries } = configureMirrors(
    { objects: [], image, clusterVersion },
    { isStored: true },
  );
  expect(refused).toBe(false);
  expect(entries).toMatchObject([{ location: four, blocked: true }]);
  const path = `${listOf("blockedRegistries")}[0]`;
  expect(issues).toMatchObject([{ code: "PayloadUnreachable", severity: "warning", path, value: four }]);
});
