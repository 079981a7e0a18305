import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { anImage, anImageDigestMirrorSet } from "../../mirrors/fixtures.ts";
import type { Cost } from "../../plan/cost.ts";
import { costOfChange } from "./cost-of-change.ts";
import { digest, filesOf, icsp, never, other, source, tag } from "./fixtures.ts";

type ObjectRow = Readonly<{
  name: string;
  before: readonly KubernetesObject[];
  after: readonly KubernetesObject[];
  cost: Cost;
}>;

const byObject: readonly ObjectRow[] = [
  {
    name: "a digest source is new",
    before: [digest("m.lan")],
    after: [digest("m.lan"), other],
    cost: "reload",
  },
  { name: "a digest source is the first of all", before: [], after: [digest("m.lan")], cost: "reload" },
  {
    name: "a content source policy's source is new",
    before: [other],
    after: [other, icsp("m.lan")],
    cost: "reload",
  },
  { name: "a digest source is new and never contacted", before: [], after: [never("m.lan")], cost: "reload" },
  {
    name: "a digest source is new and is a blocked scope that had inherited mirrors",
    before: [digest("m.lan"), anImage({ blockedRegistries: ["quay.io/ns/app"] })],
    after: [
      digest("m.lan"),
      anImage({ blockedRegistries: ["quay.io/ns/app"] }),
      anImageDigestMirrorSet("app", [{ source: "quay.io/ns/app", mirrors: ["n.lan"] }]),
    ],
    cost: "drain",
  },
  {
    name: "a digest source is new between a blocked scope and the source that it inherits from",
    before: [digest("m.lan"), anImage({ blockedRegistries: ["quay.io/ns/app/x"] })],
    after: [
      digest("m.lan"),
      anImage({ blockedRegistries: ["quay.io/ns/app/x"] }),
      anImageDigestMirrorSet("outer", [{ source: "quay.io", mirrors: ["n.lan"] }]),
    ],
    cost: "drain",
  },
  {
    name: "a digest source gets one more digest mirror",
    before: [digest("m.lan")],
    after: [digest("n.lan", "m.lan")],
    cost: "reload",
  },
  {
    name: "mirrors change places",
    before: [digest("m.lan", "n.lan")],
    after: [digest("n.lan", "m.lan")],
    cost: "reload",
  },
  { name: "a tag source is new", before: [other], after: [other, tag("m.lan")], cost: "drain" },
  {
    name: "a tag source gets one more mirror",
    before: [tag("m.lan")],
    after: [tag("m.lan", "n.lan")],
    cost: "drain",
  },
  { name: "a source is removed", before: [digest("m.lan"), other], after: [other], cost: "drain" },
  { name: "the last source is removed", before: [digest("m.lan")], after: [], cost: "drain" },
  {
    name: "a mirror is removed",
    before: [digest("m.lan", "n.lan")],
    after: [digest("n.lan")],
    cost: "drain",
  },
  {
    name: "a content source policy goes and the same digest mirror set stays",
    before: [icsp("m.lan"), digest("m.lan")],
    after: [digest("m.lan")],
    cost: "none",
  },
  {
    name: "contacting the source is forbidden",
    before: [digest("m.lan")],
    after: [never("m.lan")],
    cost: "drain",
  },
  {
    name: "contacting the source is allowed again",
    before: [never("m.lan")],
    after: [digest("m.lan")],
    cost: "drain",
  },
  {
    name: "a blocked scope outside any source is new",
    before: [digest("m.lan")],
    after: [digest("m.lan"), anImage({ blockedRegistries: ["docker.io"] })],
    cost: "drain",
  },
  {
    name: "an insecure scope outside any source is new",
    before: [digest("m.lan")],
    after: [digest("m.lan"), anImage({ insecureRegistries: ["b.lan"] })],
    cost: "drain",
  },
  {
    name: "a blocked scope under a source with digest mirrors is new",
    before: [digest("m.lan")],
    after: [digest("m.lan"), anImage({ blockedRegistries: ["quay.io/ns/app"] })],
    cost: "reload",
  },
  {
    name: "an insecure scope under a source with digest mirrors is new",
    before: [digest("m.lan")],
    after: [digest("m.lan"), anImage({ insecureRegistries: ["quay.io/ns/app"] })],
    cost: "reload",
  },
  {
    name: "a blocked scope under a source with tag mirrors is new",
    before: [tag("m.lan")],
    after: [tag("m.lan"), anImage({ blockedRegistries: ["quay.io/ns/app"] })],
    cost: "drain",
  },
  {
    name: "an existing source becomes blocked",
    before: [digest("m.lan")],
    after: [digest("m.lan"), anImage({ blockedRegistries: [source] })],
    cost: "drain",
  },
  {
    name: "an existing source becomes insecure",
    before: [digest("m.lan")],
    after: [digest("m.lan"), anImage({ insecureRegistries: ["quay.io"] })],
    cost: "drain",
  },
  {
    name: "a tag mirror set becomes a digest mirror set",
    before: [tag("m.lan")],
    after: [digest("m.lan")],
    cost: "reload",
  },
  {
    name: "a tag mirror set goes whose locations are digest mirrors too",
    before: [digest("m.lan"), tag("m.lan")],
    after: [digest("m.lan")],
    cost: "reload",
  },
  {
    name: "a tag mirror set comes whose locations are digest mirrors already",
    before: [digest("m.lan")],
    after: [digest("m.lan"), tag("m.lan")],
    cost: "drain",
  },
  {
    name: "a source that has one location for digests and tags gets another digest mirror",
    before: [digest("m.lan"), tag("m.lan")],
    after: [digest("m.lan", "n.lan"), tag("m.lan")],
    cost: "drain",
  },
  {
    name: "another source than the one with a location for digests and tags changes",
    before: [digest("m.lan"), tag("m.lan")],
    after: [digest("m.lan"), tag("m.lan"), other],
    cost: "reload",
  },
  {
    name: "an object without rules is the first of all",
    before: [],
    after: [anImageDigestMirrorSet("empty", [])],
    cost: "reload",
  },
  {
    name: "a search list is set",
    before: [digest("m.lan")],
    after: [digest("m.lan"), anImage({ containerRuntimeSearchRegistries: ["quay.io"] })],
    cost: "reboot",
  },
];

describe("what a change of objects costs", () => {
  test.for(byObject)("When $name, it should cost $cost", ({ before, after, cost }) => {
    expect(costOfChange({ before: filesOf(before), after: filesOf(after) }).cost).toBe(cost);
  });
});
