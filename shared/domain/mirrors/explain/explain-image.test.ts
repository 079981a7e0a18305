import { describe, expect, test } from "vitest";
import { namespacePolicyPath, nodePaths, textFile } from "../../openshift/machine-config/node-file.ts";
import { configureMirrors } from "../configuration.ts";
import { anImage, anImageDigestMirrorSet } from "../fixtures.ts";
import { explainImage, type ImageExplanation } from "./explain-image.ts";

const rejectAll = textFile(nodePaths.policy, '{"default":[{"type":"reject"}]}');
const acceptAll = textFile(namespacePolicyPath("team"), '{"default":[{"type":"insecureAcceptAnything"}]}');

function explain(...args: Parameters<typeof explainImage>): ImageExplanation {
  const explanation = explainImage(...args);
  if ("problem" in explanation) throw new Error(explanation.problem);
  return explanation;
}

function problemOf(...args: Parameters<typeof explainImage>): string {
  const explanation = explainImage(...args);
  return "problem" in explanation ? explanation.problem : "";
}

describe("explainImage", () => {
  test("When a mirrored image is pulled, it should return entry, locations and policy", () => {
    const { files } = configureMirrors({
      objects: [anImageDigestMirrorSet("a", [{ source: "quay.io/ns", mirrors: ["m.lan/ns"] }])],
    });
    expect(explain("quay.io/ns/app:v1", files)).toEqual({
      image: "quay.io/ns/app:v1",
      resolvedBy: "itself",
      names: [
        {
          image: "quay.io/ns/app:v1",
          entry: expect.objectContaining({ location: "quay.io/ns" }),
          entryOrigin: { file: nodePaths.registriesConf, machineConfig: null },
          candidates: [
            {
              reference: "m.lan/ns/app:v1",
              location: "m.lan/ns",
              isSource: false,
              taken: false,
              reason: "digest-only",
              blockedBy: null,
              insecure: false,
            },
            {
              reference: "quay.io/ns/app:v1",
              location: "quay.io/ns",
              isSource: true,
              taken: true,
              reason: null,
              blockedBy: null,
              insecure: false,
            },
          ],
          policy: {
            file: nodePaths.policy,
            machineConfig: null,
            section: "default",
            scope: null,
            requirements: [{ type: "insecureAcceptAnything" }],
            verdict: "accept",
          },
        },
      ],
    });
  });

  test("When nothing is configured, a short name should be resolved by the template's registries", () => {
    const { resolvedBy, names } = explain("alpine", []);
    expect([resolvedBy, ...names.map(({ image }) => image)]).toEqual([
      "search",
      "registry.access.redhat.com/alpine:latest",
      "docker.io/library/alpine:latest",
    ]);
  });

  test("When the search list is configured, it should replace the template's", () => {
    const image = anImage({ containerRuntimeSearchRegistries: ["quay.io"] });
    const { names } = explain("ns/app", configureMirrors({ objects: [], image }).files);
    expect(names.map((name) => name.image)).toEqual(["quay.io/ns/app:latest"]);
  });

  test("When the base file has aliases, a short name should go by them", () => {
    const { resolvedBy, names } = explain("app", [], { template: '[aliases]\napp = "quay.io/ns/app"\n' });
    expect([resolvedBy, ...names.map(({ image }) => image)]).toEqual(["alias", "quay.io/ns/app:latest"]);
  });

  test.for([
    { name: "no namespace is named", options: {}, file: nodePaths.policy, verdict: "reject" },
    {
      name: "the namespace has a policy",
      options: { namespace: "team" },
      file: acceptAll.path,
      verdict: "accept",
    },
    {
      name: "the namespace has none",
      options: { namespace: "other" },
      file: nodePaths.policy,
      verdict: "reject",
    },
  ])("When $name, it should go by $file", ({ options, file, verdict }) => {
    const unnamed = { ...acceptAll, path: namespacePolicyPath("undefined") };
    const [name] = explain("a.io/x", [rejectAll, acceptAll, unnamed], options).names;
    expect(name?.policy).toMatchObject({ file, verdict });
  });

  test.for([
    { image: "docker://quay.io/app", files: [], said: "remove the scheme" },
    { image: "quay.io/App", files: [], said: "lower case" },
    { image: "quay.io/https://app", files: [], said: "lower case" },
    { image: "App", files: [], said: "lower case" },
    { image: "quay.io/App", files: [textFile(nodePaths.registriesConf, "")], said: "lower case" },
    { image: "ns/x.y", files: [textFile(nodePaths.registriesConf, "")], said: "no search registries" },
    { image: "app", files: [textFile(nodePaths.registriesConf, "")], said: "no search registries" },
    { image: "a.io/x", files: [textFile(nodePaths.policy, "{")], said: nodePaths.policy },
    { image: "a.io/x", files: [textFile(nodePaths.registriesConf, "[[")], said: nodePaths.registriesConf },
    {
      image: "a.io/x",
      files: [textFile(nodePaths.searchRegistries, "[[")],
      said: nodePaths.searchRegistries,
    },
    {
      image: "a.io/x",
      files: [textFile(nodePaths.registriesConf, '[[registry]]\nlocation = "https://a.io"\n')],
      said: "URI schemes are not supported",
    },
  ])("When $image cannot be explained, it should say why: $said", ({ image, files, said }) => {
    expect(problemOf(image, files)).toContain(said);
  });
});
