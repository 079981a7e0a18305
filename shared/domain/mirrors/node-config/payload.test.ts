import { expect, test } from "vitest";
import { nodePaths } from "../../openshift/machine-config/node-file.ts";
import { configureMirrors } from "../configuration.ts";
import {
  aClusterVersion,
  anImage,
  anImageDigestMirrorSet,
  componentRepository,
  issueLines,
  payloadRepository,
  releaseImage,
} from "../fixtures.ts";
import { showEntries } from "../registries-conf/fixtures.ts";

// What must not happen to the image that nodes upgrade and repair themselves with.

const clusterVersion = aClusterVersion(releaseImage);
const mirrored = anImageDigestMirrorSet("ocp", [
  { source: payloadRepository, mirrors: ["m.lab/ocp"] },
  { source: componentRepository, mirrors: ["m.lab/components"] },
]);
const blocked = `${"spec.registrySources.blockedRegistries"}[0]`;

test("When it has no other location, a scope around it should not be blocked, with a warning on the Image", () => {
  const input = {
    objects: [],
    image: anImage({ blockedRegistries: ["quay.io", "docker.io"] }),
    clusterVersion,
  };
  expect(showEntries(configureMirrors(input).entries)).toEqual(["docker.io blocked"]);
  expect(issueLines(input)).toEqual([`warning PayloadBlocked cluster ${blocked}`]);
});

test("When it is not known where all of its images are, a scope around it should not be blocked", () => {
  const image = anImage({ blockedRegistries: ["r.corp.io", "docker.io"] });
  const { entries, issues } = configureMirrors({
    objects: [],
    image,
    clusterVersion: aClusterVersion(`r.corp.io/ocp/release@sha256:${"1".repeat(64)}`),
  });
  expect(showEntries(entries)).toEqual(["docker.io blocked"]);
  expect(issues.map(({ code }) => code)).toEqual(["PayloadBlocked", "ReleaseImagesUnknown"]);
});

test("When it has a mirror, its source should be blocked and only its own name accepted", () => {
  const input = { objects: [mirrored], image: anImage({ blockedRegistries: ["quay.io"] }), releaseImage };
  const { entries, files } = configureMirrors(input);
  expect(issueLines(input)).toEqual([`warning PayloadRejected cluster ${blocked}`]);
  expect(showEntries(entries)).toEqual([
    `${payloadRepository} blocked m.lab/ocp`,
    `${componentRepository} blocked m.lab/components`,
    "quay.io blocked",
  ]);
  const policy = JSON.parse(files.find(({ path }) => path === nodePaths.policy)?.contents ?? "");
  expect(policy.transports.docker).toEqual({
    "quay.io": [{ type: "reject" }],
    [payloadRepository]: [{ type: "insecureAcceptAnything" }],
  });
});

test.for(["quay.io", payloadRepository])(
  "When nodes would reject images of it because %s is blocked, hubrelay should not write that itself",
  (scope) => {
    const image = anImage({ blockedRegistries: [scope] });
    const input = { objects: [mirrored], image, clusterVersion };
    expect(configureMirrors(input).refused).toBe(false);
    expect(configureMirrors(input, { writer: "hubrelay" })).toMatchObject({ refused: true, files: [] });
  },
);

test("When it is unreadable, it should refuse everything", () => {
  const input = { objects: [], image: anImage({}), clusterVersion: aClusterVersion("") };
  expect(configureMirrors(input).refused).toBe(true);
  expect(issueLines(input)).toEqual(["error InvalidReleaseImage version status.desired.image"]);
});

test("When there is no Image configuration, an unreadable one should not matter", () => {
  expect(issueLines({ objects: [mirrored], clusterVersion: aClusterVersion(undefined) })).toEqual([]);
});
