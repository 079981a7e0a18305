import { expect } from "vitest";
import { aDigestMirrorSet, anImageConfig, aTagMirrorSet } from "../support/hub/objects.ts";
import { type Outcome, play, type Scenario } from "./support/scenarios/scenario.ts";
import { test } from "./support/test.ts";

const never = (source: string, ...mirrors: readonly string[]) => ({
  source,
  mirrors,
  mirrorSourcePolicy: "NeverContactSource",
});

type Case = Scenario & Outcome & Readonly<{ /** Must not get a single request. */ untouched: string }>;

const cases: readonly Case[] = [
  {
    name: "When the source must never be contacted and its mirror holds the image, it should come from the mirror",
    objects: [aDigestMirrorSet("never", [never("a.io/ns", "m1.lan/c")])],
    heldBy: ["m1.lan/c/app", "a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m1.lan/c/app"],
    from: "m1.lan/c/app",
    untouched: "a.io",
  },
  {
    name: "When the source must never be contacted and no mirror holds the image, it should fail",
    objects: [aDigestMirrorSet("never", [never("a.io/ns", "m1.lan/c", "m3.lan/c")])],
    heldBy: ["a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m1.lan/c/app", "m3.lan/c/app"],
    untouched: "a.io",
    stderr: "a.io/ns is blocked",
  },
  {
    name: "When only digest mirrors of a source that must never be contacted exist, it should refuse tags at once",
    objects: [aDigestMirrorSet("never", [never("a.io/ns", "m1.lan/c")])],
    heldBy: ["m1.lan/c/app", "a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "tag",
    asked: [],
    untouched: "a.io",
    stderr: "a.io/ns is blocked",
  },
  {
    name: "When a source that must never be contacted has tag mirrors too, it should pull tags from them",
    objects: [
      aDigestMirrorSet("never", [never("a.io/ns", "m1.lan/digest")]),
      aTagMirrorSet("never", [never("a.io/ns", "m1.lan/tag")]),
    ],
    heldBy: ["m1.lan/digest/app", "m1.lan/tag/app", "a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "tag",
    asked: ["m1.lan/tag/app"],
    from: "m1.lan/tag/app",
    untouched: "a.io",
  },
  {
    name: "When a source inside one that must never be contacted has mirrors of its own, it should be contacted",
    objects: [
      aDigestMirrorSet("inside", [never("a.io", "m1.lan/c"), { source: "a.io/ns", mirrors: ["m3.lan/c"] }]),
    ],
    heldBy: ["a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m3.lan/c/app", "a.io/ns/app"],
    from: "a.io/ns/app",
    untouched: "m1.lan",
  },
  {
    name: "When a scope inside a source that must never be contacted is insecure, it should be contacted",
    objects: [aDigestMirrorSet("never", [never("a.io", "m1.lan/c")])],
    image: anImageConfig({ insecureRegistries: ["a.io/ns"] }),
    heldBy: ["a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m1.lan/c/ns/app", "a.io/ns/app"],
    from: "a.io/ns/app",
    untouched: "m3.lan",
  },
  {
    name: "When a registry is blocked, it should be refused without a request",
    image: anImageConfig({ blockedRegistries: ["a.io"] }),
    heldBy: ["a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "tag",
    asked: [],
    untouched: "a.io",
    stderr: "a.io is blocked",
  },
  {
    name: "When a namespace is blocked, it should not block the others of that registry",
    image: anImageConfig({ blockedRegistries: ["a.io/other"] }),
    heldBy: ["a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "tag",
    asked: ["a.io/ns/app"],
    from: "a.io/ns/app",
    untouched: "m1.lan",
  },
  {
    name: "When a domain is blocked by a wildcard, it should refuse its sub-domains",
    image: anImageConfig({ blockedRegistries: ["*.a.io"] }),
    heldBy: ["y.x.a.io/ns/app"],
    pull: "y.x.a.io/ns/app",
    by: "tag",
    asked: [],
    untouched: "y.x.a.io",
    stderr: "*.a.io is blocked",
  },
  {
    name: "When a blocked scope lies in a mirrored one, it should be found on the inherited mirrors and then rejected",
    objects: [aDigestMirrorSet("inherited", [{ source: "a.io", mirrors: ["m3.lan/c", "m1.lan/c"] }])],
    image: anImageConfig({ blockedRegistries: ["a.io/ns"] }),
    heldBy: ["m1.lan/c/ns/app", "a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m3.lan/c/ns/app", "m1.lan/c/ns/app"],
    untouched: "a.io",
    stderr: "is rejected by policy",
  },
  {
    name: "When the blocked image is the release payload, it should come from the mirror of its scope",
    objects: [aDigestMirrorSet("payload", [{ source: "a.io/ns", mirrors: ["m3.lan/c", "m1.lan/c"] }])],
    image: anImageConfig({ blockedRegistries: ["a.io"] }),
    isPayload: true,
    heldBy: ["m1.lan/c/app", "a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m3.lan/c/app", "m1.lan/c/app"],
    from: "m1.lan/c/app",
    untouched: "a.io",
  },
  {
    name: "When a blocked scope holds the source, it should be pulled from the source's mirror only",
    objects: [aDigestMirrorSet("holds", [{ source: "a.io/ns", mirrors: ["m1.lan/c"] }])],
    image: anImageConfig({ blockedRegistries: ["a.io"] }),
    heldBy: ["a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m1.lan/c/app"],
    untouched: "a.io",
    stderr: "a.io/ns is blocked",
  },
  {
    name: "When a mirror lies in a blocked scope, it should be skipped for the next one",
    objects: [aDigestMirrorSet("skipped", [{ source: "a.io/ns", mirrors: ["m1.lan/c", "m3.lan/c"] }])],
    image: anImageConfig({ blockedRegistries: ["m1.lan"] }),
    heldBy: ["m1.lan/c/app", "m3.lan/c/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m3.lan/c/app"],
    from: "m3.lan/c/app",
    untouched: "m1.lan",
  },
  {
    name: "When a mirror is itself a mirrored source, it should not be mirrored a second time",
    objects: [
      aDigestMirrorSet("chain", [
        { source: "a.io/ns", mirrors: ["m1.lan/c"] },
        { source: "m1.lan/c", mirrors: ["m3.lan/c"] },
      ]),
    ],
    heldBy: ["m3.lan/c/app", "a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m1.lan/c/app", "a.io/ns/app"],
    from: "a.io/ns/app",
    untouched: "m3.lan",
  },
];

test.for(cases)("$name", async ({ untouched, ...scenario }, { lab }) => {
  const { contacted } = await play(lab, scenario);
  expect(contacted).not.toContain(untouched);
});
