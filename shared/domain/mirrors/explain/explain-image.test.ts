import { describe, expect, test } from "vitest";
import { namespacePolicyPath, nodePaths, textFile } from "../../openshift/machine-config/node-file.ts";
import { configureMirrors } from "../configuration.ts";
import { anImage, anImageDigestMirrorSet } from "../fixtures.ts";
import { explainImage, type ImageExplanation } from "./explain-image.ts";
import { policyText } from "./explain-texts.ts";

const schemed = '[[registry]]\nlocation = "https://a.io"\n';
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

  test.for([
    ["no namespace is named", {}, nodePaths.policy, "reject"],
    ["the namespace has a policy", { namespace: "team" }, acceptAll.path, "accept"],
    ["the namespace has none", { namespace: "other" }, nodePaths.policy, "reject"],
  ] as const)("When $0, it should go by $2", ([, options, file, verdict]) => {
    const unnamed = { ...acceptAll, path: namespacePolicyPath("undefined") };
    const [name] = explain("a.io/x", [rejectAll, acceptAll, unnamed], options).names;
    expect(name?.policy).toMatchObject({ file, verdict });
  });

  test.for([
    ["docker://quay.io/app", [], "remove the scheme"],
    ["quay.io/App", [], "lower case"],
    ["quay.io/https://app", [], "lower case"],
    ["App", [], "lower case"],
    ["quay.io/App", [textFile(nodePaths.registriesConf, "")], "lower case"],
    ["ns/x.y", [textFile(nodePaths.registriesConf, "")], "no search registries"],
    ["app", [textFile(nodePaths.registriesConf, "")], "no search registries"],
    ["a.io/x", [textFile(nodePaths.policy, "{")], nodePaths.policy],
    ["a.io/x", [textFile(nodePaths.registriesConf, "[[")], nodePaths.registriesConf],
    ["a.io/x", [textFile(nodePaths.searchRegistries, "[[")], nodePaths.searchRegistries],
    ["a.io/x", [textFile(nodePaths.registriesConf, schemed)], "URI schemes"],
  ] as const)("When $0 cannot be explained, it should say why: $2", ([image, files, said]) => {
    expect(problemOf(image, files)).toContain(said);
  });
});

const email = "dev@lab.example";
test.for([
  ["keyData", { keyData: btoa("key") }, "the key with the SHA-256 digest 2c70e12b7a06…"],
  ["keyPath", { keyPath: "/etc/pki/key.pub" }, "the key in /etc/pki/key.pub"],
  [
    "fulcio",
    { fulcio: { oidcIssuer: "https://oidc.lab", subjectEmail: email } },
    `${email}, certified by https://oidc.lab`,
  ],
  ["pki", { pki: { subjectHostname: "build.lab.example" } }, "build.lab.example"],
] as const)("When a signature is required by %s, the text should name the signer", ([, signer, text]) => {
  const policy = { file: nodePaths.policy, machineConfig: null, section: "default", scope: null } as const;
  const requirements = [{ type: "sigstoreSigned", ...signer }];
  expect(policyText({ ...policy, requirements, verdict: "signature" })).toBe(
    `accepted with a signature of ${text}, by its default in /etc/containers/policy.json`,
  );
});
