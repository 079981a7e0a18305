import { expect, test } from "vitest";
import type { Issue } from "../../issues/issue.ts";
import { configureMirrors } from "../configuration.ts";
import { anImage, anImageDigestMirrorSet } from "../fixtures.ts";
import { explainImage, issuesOfImage } from "./explain-image.ts";

const objects = [
  anImageDigestMirrorSet("acme", [
    { source: "quay.io/acme", mirrors: ["m.lan/acme"] },
    { source: "docker.io/other", mirrors: ["m.lan/other"] },
  ]),
  anImage({ insecureRegistries: ["m.lan", "n.lan"], blockedRegistries: ["docker.io/other/bad"] }),
];
const policy = {
  apiVersion: "config.openshift.io/v1",
  kind: "ClusterImagePolicy",
  metadata: { name: "p" },
  spec: { scopes: ["docker.io/other"] },
};
const rule = (index: number): Partial<Issue> => ({
  object: { kind: "ImageDigestMirrorSet", name: "acme" },
  path: `spec.imageDigestMirrors[${index}].mirrors[0]`,
});
const listed = (path: string): Partial<Issue> => ({ object: { kind: "Image", name: "cluster" }, path });

test.for<{ what: string; issue: Partial<Issue>; isShown: boolean }>([
  { what: "the rule of the image", issue: rule(0), isShown: true },
  { what: "another rule", issue: rule(1), isShown: false },
  { what: "an error of another rule", issue: { ...rule(1), severity: "error" }, isShown: true },
  { what: "its whole object", issue: { ...rule(0), path: "spec" }, isShown: true },
  { what: "another object", issue: { object: { kind: "ClusterImagePolicy", name: "p" } }, isShown: false },
  { what: "a mirror", issue: listed("spec.registrySources.insecureRegistries[0]"), isShown: true },
  { what: "another registry", issue: listed("spec.registrySources.insecureRegistries[1]"), isShown: false },
  { what: "another block", issue: listed("spec.registrySources.blockedRegistries[0]"), isShown: false },
  { what: "all lists", issue: listed("spec.registrySources"), isShown: true },
  { what: "an object that is not given", issue: { object: { kind: "File", name: "a" } }, isShown: true },
])("When a warning is about $what, it should be shown for an image: $isShown", ({ issue, isShown }) => {
  const { files } = configureMirrors({ objects });
  const explanation = explainImage(`quay.io/acme/app@sha256:${"a".repeat(64)}`, files);
  if (!("names" in explanation)) return expect.fail("no explanation");
  const given: Issue = {
    code: "InvalidSource",
    severity: "warning",
    object: { kind: "", name: "" },
    path: "",
    value: undefined,
    message: "m",
    remedy: "r",
    ...issue,
  };
  expect(issuesOfImage([given], explanation, [...objects, policy])).toEqual(isShown ? [given] : []);
});

test("When many rules have the same warning, only that of the image's rule should be shown", () => {
  const never = { source: "quay.io", mirrors: ["m.lan"], mirrorSourcePolicy: "NeverContactSource" };
  const inner = ["acme", "one", "two"].map((name) => ({ source: `quay.io/${name}`, mirrors: ["m.lan"] }));
  const given = [anImageDigestMirrorSet("nested", [never, ...inner])];
  const warningsIn = (issues: readonly Issue[]) =>
    issues.filter(({ code }) => code === "NeverContactSourceNotInherited").map(({ path }) => path);
  const { files, issues } = configureMirrors({ objects: given }, { eachField: true });
  const explanation = explainImage(`quay.io/two/app@sha256:${"a".repeat(64)}`, files);
  if (!("names" in explanation)) return expect.fail("no explanation");
  expect(warningsIn(configureMirrors({ objects: given }).issues)).toHaveLength(1);
  expect(warningsIn(issuesOfImage(issues, explanation, given))).toEqual([
    "spec.imageDigestMirrors[3].source",
  ]);
});
