import { describe, expect, test } from "vitest";
import { nodePaths } from "../../openshift/machine-config/node-file.ts";
import { configureMirrors, type MirrorInput } from "../configuration.ts";
import {
  anImage,
  anImageDigestMirrorSet,
  anImageTagMirrorSet,
  payloadRepository as R,
  releaseImage,
} from "../fixtures.ts";
import { aClusterImagePolicy } from "../policies/fixtures.ts";

// What machine-config-operator makes of all objects together, and where it stops.

const likeMco = (input: MirrorInput) => {
  const { refused, issues, files, entries } = configureMirrors(input, { isStored: true });
  return {
    refused,
    issues: issues.map(({ severity, code, path }) => `${severity} ${code} ${path}`),
    files: files.map(({ path }) => path),
    blocked: entries.filter(({ blocked }) => blocked).map(({ location }) => location),
    insecure: entries.filter(({ insecure }) => insecure).map(({ location }) => location),
  };
};

const blockedPath = "spec.registrySources.blockedRegistries";

describe("the guard", () => {
  test("When only tag mirrors hold the payload, it should not count them, because the payload is pulled by digest", () => {
    const objects = [anImageTagMirrorSet("tags", [{ source: R, mirrors: ["m.lab/ocp"] }])];
    const input = { objects, releaseImage, image: anImage({ blockedRegistries: ["quay.io"] }) };
    expect(likeMco(input)).toMatchObject({
      issues: [`warning PayloadBlocked ${blockedPath}[0]`],
      blocked: [],
    });
  });

  test("When it fails, the allowed scopes should be lost too", () => {
    const bare = anImageDigestMirrorSet("bare", [{ source: R, mirrors: ["m.lab"] }]);
    const lists = { blockedRegistries: ["quay.io"], allowedRegistries: ["a.io"] };
    const input = { objects: [bare], releaseImage, image: anImage(lists) };
    expect(likeMco(input)).toMatchObject({
      refused: false,
      issues: [
        `warning GuardFailedOpen ${blockedPath}`,
        "warning MirrorBreaksPayload spec.imageDigestMirrors[0].mirrors",
        "warning InternalRegistryNotAllowed spec.registrySources.allowedRegistries",
      ],
      files: [nodePaths.registriesConf],
    });
  });
});

describe("scopes that the runtime cannot load", () => {
  const image = anImage({
    insecureRegistries: ["http://i.io", "i.io/"],
    blockedRegistries: ["http://b.io", "b.io/"],
  });

  test("When there is no image policy, it should render them as they are, with warnings", () => {
    expect(likeMco({ objects: [], image })).toEqual({
      refused: false,
      issues: [
        "warning InvalidScope spec.registrySources.insecureRegistries[1]",
        `warning InvalidScope ${blockedPath}[1]`,
        "warning InvalidScope spec.registrySources.insecureRegistries[0]",
        `warning InvalidScope ${blockedPath}[0]`,
      ],
      files: [nodePaths.registriesConf, nodePaths.policy],
      blocked: ["http://b.io", "b.io/"],
      insecure: ["http://i.io", "i.io/"],
    });
  });

  test("When there is an image policy, it should refuse, because it loads the file to find the mirrors", () => {
    const input = { objects: [aClusterImagePolicy("p", ["a.io"])], image };
    expect(likeMco(input)).toMatchObject({ refused: true, files: [] });
    expect(likeMco(input).issues).toContainEqual(
      expect.stringMatching(/^error UnloadableRegistries spec\.registrySources\./),
    );
  });

  test("When the policy has no scope, it should not load the file", () => {
    const { refused, files } = likeMco({ objects: [aClusterImagePolicy("p", [])], image });
    expect({ refused, files }).toEqual({
      refused: false,
      files: [nodePaths.registriesConf, nodePaths.policy],
    });
  });
});

test("When what it writes would not be loaded by nodes, it should be an error for objects that are not stored", () => {
  const image = anImage({ insecureRegistries: ["b.io"], blockedRegistries: ["b.io/"] });
  const { refused, issues } = configureMirrors({ objects: [], image });
  expect(refused).toBe(false);
  expect(issues).toContainEqual(expect.objectContaining({ code: "UnloadableRegistries", severity: "error" }));
  expect(configureMirrors({ objects: [], image }, { writer: "hubrelay" }).refused).toBe(true);
});
