import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { anImage, anImageDigestMirrorSet } from "../../mirrors/fixtures.ts";
import type { Cost } from "../../plan/cost.ts";
import { costOfChange } from "./cost-of-change.ts";
import { digest, filesOf, icsp, never, other, source, tag } from "./fixtures.ts";

const block = (scope: string) => anImage({ blockedRegistries: [scope] });

type ObjectRow = readonly [
  name: string,
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  cost: Cost,
];

const byObject: readonly ObjectRow[] = [
  ["a digest source is new", [digest("m.lan")], [digest("m.lan"), other], "reload"],
  ["a digest source is the first of all", [], [digest("m.lan")], "reload"],
  ["a content source policy's source is new", [other], [other, icsp("m.lan")], "reload"],
  ["a digest source is new and never contacted", [], [never("m.lan")], "reload"],
  [
    "a digest source is new and is a blocked scope that had inherited mirrors",
    [digest("m.lan"), block("quay.io/ns/app")],
    [
      digest("m.lan"),
      block("quay.io/ns/app"),
      anImageDigestMirrorSet("app", [{ source: "quay.io/ns/app", mirrors: ["n.lan"] }]),
    ],
    "drain",
  ],
  ["a digest source gets one more digest mirror", [digest("m.lan")], [digest("n.lan", "m.lan")], "reload"],
  ["mirrors change places", [digest("m.lan", "n.lan")], [digest("n.lan", "m.lan")], "reload"],
  ["a tag source is new", [other], [other, tag("m.lan")], "drain"],
  ["a tag source gets one more mirror", [tag("m.lan")], [tag("m.lan", "n.lan")], "drain"],
  ["a source is removed", [digest("m.lan"), other], [other], "drain"],
  ["the last source is removed", [digest("m.lan")], [], "drain"],
  ["a mirror is removed", [digest("m.lan", "n.lan")], [digest("n.lan")], "drain"],
  [
    "a content source policy goes beside its like",
    [icsp("m.lan"), digest("m.lan")],
    [digest("m.lan")],
    "none",
  ],
  ["contacting the source is forbidden", [digest("m.lan")], [never("m.lan")], "drain"],
  ["contacting the source is allowed again", [never("m.lan")], [digest("m.lan")], "drain"],
  ["a blocked scope is new", [digest("m.lan")], [digest("m.lan"), block("docker.io")], "drain"],
  ["one is new under digests", [digest("m.lan")], [digest("m.lan"), block("quay.io/ns/app")], "reload"],
  ["one is new under tags", [tag("m.lan")], [tag("m.lan"), block("quay.io/ns/app")], "drain"],
  ["an existing source becomes blocked", [digest("m.lan")], [digest("m.lan"), block(source)], "drain"],
  ["a tag mirror set becomes a digest mirror set", [tag("m.lan")], [digest("m.lan")], "reload"],
  ["a tag mirror set goes beside digests", [digest("m.lan"), tag("m.lan")], [digest("m.lan")], "reload"],
  [
    "one more digest mirror beside tags",
    [digest("m.lan"), tag("m.lan")],
    [digest("m.lan", "n.lan"), tag("m.lan")],
    "drain",
  ],
  ["an object without rules is the first of all", [], [anImageDigestMirrorSet("empty", [])], "reload"],
  [
    "it has a search list",
    [digest("m.lan")],
    [digest("m.lan"), anImage({ containerRuntimeSearchRegistries: ["quay.io"] })],
    "reboot",
  ],
];

describe("what a change of objects costs", () => {
  test.for(byObject)("When $0, it should cost $3", ([, before, after, cost]) => {
    expect(costOfChange({ before: filesOf(before), after: filesOf(after) }).cost).toBe(cost);
  });
});
