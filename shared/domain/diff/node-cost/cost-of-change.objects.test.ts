import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { anImage, anImageDigestMirrorSet } from "../../mirrors/fixtures.ts";
import type { Cost } from "../../plan/cost.ts";
import { costOfChange } from "./cost-of-change.ts";
import { digest, filesOf, icsp, never, other, source, tag } from "./fixtures.ts";

const block = (scope: string) => anImage({ blockedRegistries: [scope] });

const searching = anImage({ containerRuntimeSearchRegistries: ["quay.io"] });

const one = digest("m.lan");

type ObjectRow = readonly [
  name: string,
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  cost: Cost,
];

const byObject: readonly ObjectRow[] = [
  ["a digest source is new", [one], [one, other], "reload"],
  ["a digest source is the first of all", [], [one], "reload"],
  ["a content source policy's source is new", [other], [other, icsp("m.lan")], "reload"],
  ["a digest source is new and never contacted", [], [never("m.lan")], "reload"],
  [
    "a digest source is new and is a blocked scope that had inherited mirrors",
    [one, block("quay.io/ns/app")],
    [
      one,
      block("quay.io/ns/app"),
      anImageDigestMirrorSet("app", [{ source: "quay.io/ns/app", mirrors: ["n.lan"] }]),
    ],
    "drain",
  ],
  ["a digest source gets one more digest mirror", [one], [digest("n.lan", "m.lan")], "reload"],
  ["mirrors change places", [digest("m.lan", "n.lan")], [digest("n.lan", "m.lan")], "reload"],
  ["a tag source is new", [other], [other, tag("m.lan")], "drain"],
  ["a tag source gets one more mirror", [tag("m.lan")], [tag("m.lan", "n.lan")], "drain"],
  ["a source is removed", [one, other], [other], "drain"],
  ["the last source is removed", [one], [], "drain"],
  ["a mirror is removed", [digest("m.lan", "n.lan")], [digest("n.lan")], "drain"],
  ["a content source policy goes and the same digest mirror set stays", [icsp("m.lan"), one], [one], "none"],
  ["contacting the source is forbidden", [one], [never("m.lan")], "drain"],
  ["contacting the source is allowed again", [never("m.lan")], [one], "drain"],
  ["a blocked scope outside any source is new", [one], [one, block("docker.io")], "drain"],
  ["a blocked scope under digest mirrors is new", [one], [one, block("quay.io/ns/app")], "reload"],
  ["a blocked scope under tags is new", [tag("m.lan")], [tag("m.lan"), block("quay.io/ns/app")], "drain"],
  ["an existing source becomes blocked", [one], [one, block(source)], "drain"],
  ["a tag mirror set becomes a digest mirror set", [tag("m.lan")], [one], "reload"],
  ["a tag mirror set goes whose locations are digest mirrors too", [one, tag("m.lan")], [one], "reload"],
  ["one more beside tags", [one, tag("m.lan")], [digest("m.lan", "n.lan"), tag("m.lan")], "drain"],
  ["an object without rules is the first of all", [], [anImageDigestMirrorSet("empty", [])], "reload"],
  ["a search list is set", [one], [one, searching], "reboot"],
];

describe("what a change of objects costs", () => {
  test.for(byObject)("When $0, it should cost $3", ([, before, after, cost]) => {
    expect(costOfChange({ before: filesOf(before), after: filesOf(after) }).cost).toBe(cost);
  });
});
