import { expect, test } from "vitest";
import { explainHostedImage } from "#shared/domain/hosted-clusters/overrides/explain.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { hostedImageText } from "./hosted-image-text.ts";

const digest = `sha256:${"d".repeat(64)}`;
const mirrorSet = (sources: Readonly<Record<string, string>>): KubernetesObject => ({
  apiVersion: "config.openshift.io/v1",
  kind: "ImageDigestMirrorSet",
  metadata: { name: "acme" },
  spec: {
    imageDigestMirrors: Object.entries(sources).map(([source, mirror]) => ({ source, mirrors: [mirror] })),
  },
});

/** Returns the last line, which says what HyperShift would do. */
function lastLine(image: string, objects: readonly KubernetesObject[]): string {
  const explanation = explainHostedImage(image, objects);
  if ("problem" in explanation) throw new Error(explanation.problem);
  const original = explainHostedImage(image, objects, { compat: "hypershift" });
  return hostedImageText(explanation, original).toString().trimEnd().split("\n").at(-1) ?? "";
}

test.for([
  {
    name: "its rules agree",
    image: `a.io/ns/app@${digest}`,
    sources: { "a.io/ns/app": "m.io/x/app" },
    says: "the image itself; it is tried only if the candidates before it do not have the image",
  },
  {
    name: "none of its rules matches",
    image: `a.io:5000/ns/app@${digest}`,
    sources: { "a.io:5000": "m.io" },
    says: `HyperShift would use a.io:5000/ns/app@${digest}: its rules give no other reference.`,
  },
  {
    name: "one of its rules matches, but gives no reference",
    image: `a.io/app@${digest}`,
    sources: { "a.io": "m.io" },
    says: `HyperShift would use a.io/app@${digest}: its rules give no other reference.`,
  },
  {
    name: "another registry's source matches",
    image: `b.io/ns/app@${digest}`,
    sources: { "a.io/ns": "m.io/x" },
    says: `HyperShift would use m.io/x/app@${digest}: by its source a.io/ns.`,
  },
  {
    name: "several sources match",
    image: `a.io/ns/app@${digest}`,
    sources: { "a.io": "m.io", "a.io/ns": "n.io/x" },
    says: "HyperShift starts with a random one of the sources a.io, a.io/ns.",
  },
])("When $name, it should say what HyperShift would do", ({ image, sources, says }) => {
  expect(lastLine(image, [mirrorSet(sources)])).toContain(says);
});
