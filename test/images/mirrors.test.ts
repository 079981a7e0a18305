import { aContentSourcePolicy, aDigestMirrorSet, aTagMirrorSet } from "../support/objects.ts";
import { type Outcome, play, type Scenario } from "./support/scenario.ts";
import { test } from "./support/test.ts";

const digestMirrors = aDigestMirrorSet("digest", [{ source: "a.io/ns", mirrors: ["m1.lan/digest"] }]);
const tagMirrors = aTagMirrorSet("tag", [{ source: "a.io/ns", mirrors: ["m1.lan/tag"] }]);
const everyMirrorHolds = ["m1.lan/digest/app", "m1.lan/tag/app", "a.io/ns/app"];

const cases: readonly (Scenario & Outcome)[] = [
  {
    name: "When a pull is by digest, it should use the digest mirror",
    objects: [digestMirrors, tagMirrors],
    heldBy: everyMirrorHolds,
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m1.lan/digest/app"],
    from: "m1.lan/digest/app",
  },
  {
    name: "When a pull is by tag, it should use the tag mirror",
    objects: [digestMirrors, tagMirrors],
    heldBy: everyMirrorHolds,
    pull: "a.io/ns/app",
    by: "tag",
    asked: ["m1.lan/tag/app"],
    from: "m1.lan/tag/app",
  },
  {
    name: "When a pull is by tag and digest, it should use the digest mirror",
    objects: [digestMirrors, tagMirrors],
    heldBy: everyMirrorHolds,
    pull: "a.io/ns/app",
    by: "tag and digest",
    asked: ["m1.lan/digest/app"],
    from: "m1.lan/digest/app",
  },
  {
    name: "When a pull is by digest and there are tag mirrors only, it should go to the source",
    objects: [tagMirrors],
    heldBy: everyMirrorHolds,
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["a.io/ns/app"],
    from: "a.io/ns/app",
  },
  {
    name: "When a pull is by tag and there are digest mirrors only, it should go to the source",
    objects: [digestMirrors],
    heldBy: everyMirrorHolds,
    pull: "a.io/ns/app",
    by: "tag",
    asked: ["a.io/ns/app"],
    from: "a.io/ns/app",
  },
  {
    name: "When no mirror holds the image, it should ask all in the given order and the source last",
    objects: [
      aDigestMirrorSet("order", [{ source: "a.io/ns", mirrors: ["m3.lan/c", "m1.lan/c", "m2.lan:5000/c"] }]),
    ],
    heldBy: ["a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m3.lan/c/app", "m1.lan/c/app", "m2.lan:5000/c/app", "a.io/ns/app"],
    from: "a.io/ns/app",
  },
  {
    name: "When a mirror holds the image, it should ask nobody after it",
    objects: [
      aTagMirrorSet("order", [{ source: "a.io/ns", mirrors: ["m3.lan/c", "m1.lan/c", "m2.lan:5000/c"] }]),
    ],
    heldBy: ["m1.lan/c/app", "m2.lan:5000/c/app", "a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "tag",
    asked: ["m3.lan/c/app", "m1.lan/c/app"],
    from: "m1.lan/c/app",
  },
  {
    name: "When nobody holds the image, it should have asked everybody",
    objects: [digestMirrors],
    heldBy: [],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m1.lan/digest/app", "a.io/ns/app"],
  },
  {
    name: "When two objects share a source, it should ask the mirrors of both, each in its own order",
    objects: [
      aDigestMirrorSet("one", [{ source: "a.io/ns", mirrors: ["m3.lan/c", "m1.lan/c"] }]),
      aContentSourcePolicy("two", [{ source: "a.io/ns", mirrors: ["m1.lan/c", "m2.lan:5000/c"] }]),
    ],
    heldBy: ["a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m3.lan/c/app", "m1.lan/c/app", "m2.lan:5000/c/app", "a.io/ns/app"],
    from: "a.io/ns/app",
  },
  {
    name: "When the source stands in the middle of its mirrors, it should ask it there and again at the end",
    objects: [
      aDigestMirrorSet("middle", [{ source: "a.io/ns", mirrors: ["m3.lan/c", "a.io/ns", "m1.lan/c"] }]),
    ],
    heldBy: [],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m3.lan/c/app", "a.io/ns/app", "m1.lan/c/app", "a.io/ns/app"],
  },
  {
    name: "When scopes nest, it should use the mirrors of the innermost only",
    objects: [
      aDigestMirrorSet("nested", [
        { source: "a.io", mirrors: ["m1.lan/host"] },
        { source: "a.io/ns/deep", mirrors: ["m1.lan/deep"] },
        { source: "a.io/ns", mirrors: ["m1.lan/ns"] },
      ]),
    ],
    heldBy: ["m1.lan/host/ns/deep/app", "m1.lan/ns/deep/app", "a.io/ns/deep/app"],
    pull: "a.io/ns/deep/app",
    by: "digest",
    asked: ["m1.lan/deep/app", "a.io/ns/deep/app"],
    from: "a.io/ns/deep/app",
  },
  {
    name: "When the inner scope has mirrors of the other kind only, it should inherit nothing",
    objects: [
      aTagMirrorSet("outer", [{ source: "a.io", mirrors: ["m1.lan/host"] }]),
      aDigestMirrorSet("inner", [{ source: "a.io/ns", mirrors: ["m1.lan/ns"] }]),
    ],
    heldBy: ["m1.lan/host/ns/app", "a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "tag",
    asked: ["a.io/ns/app"],
    from: "a.io/ns/app",
  },
  {
    name: "When a name only begins like the source, it should not be mirrored",
    objects: [aDigestMirrorSet("begins", [{ source: "a.io/ns", mirrors: ["m1.lan/c"] }])],
    heldBy: ["m1.lan/cx/app", "a.io/nsx/app"],
    pull: "a.io/nsx/app",
    by: "digest",
    asked: ["a.io/nsx/app"],
    from: "a.io/nsx/app",
  },
  {
    name: "When the source is a whole repository, it should take the mirror as the repository's name",
    objects: [aDigestMirrorSet("exact", [{ source: "a.io/ns/app", mirrors: ["m1.lan/other/name"] }])],
    heldBy: ["m1.lan/other/name"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m1.lan/other/name"],
    from: "m1.lan/other/name",
  },
  {
    name: "When the mirror of a whole repository is a bare host, it should fail without asking anybody",
    objects: [aDigestMirrorSet("bare", [{ source: "a.io/ns/app", mirrors: ["m1.lan", "m3.lan/c"] }])],
    heldBy: ["m3.lan/c", "a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: [],
  },
  {
    name: "When the source is a wildcard, it should mirror every sub-domain, the path kept",
    objects: [aDigestMirrorSet("wildcard", [{ source: "*.a.io", mirrors: ["m1.lan/c"] }])],
    heldBy: ["m1.lan/c/ns/app"],
    pull: "y.x.a.io/ns/app",
    by: "digest",
    asked: ["m1.lan/c/ns/app"],
    from: "m1.lan/c/ns/app",
  },
  {
    name: "When the source is a wildcard, it should leave the domain itself alone",
    objects: [aDigestMirrorSet("wildcard", [{ source: "*.a.io", mirrors: ["m1.lan/c"] }])],
    heldBy: ["m1.lan/c/ns/app", "a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["a.io/ns/app"],
    from: "a.io/ns/app",
  },
  {
    name: "When a wildcard is as long as another scope, it should win",
    objects: [
      aDigestMirrorSet("tie", [
        { source: "*.a.io", mirrors: ["m1.lan/wildcard"] },
        { source: "x.a.io", mirrors: ["m1.lan/host"] },
      ]),
    ],
    heldBy: ["m1.lan/wildcard/ns/app", "m1.lan/host/ns/app"],
    pull: "x.a.io/ns/app",
    by: "digest",
    asked: ["m1.lan/wildcard/ns/app"],
    from: "m1.lan/wildcard/ns/app",
  },
  {
    name: "When the source is a host, it should also mirror the host's other ports, the port becoming part of the name",
    objects: [aDigestMirrorSet("port", [{ source: "a.io", mirrors: ["m1.lan"] }])],
    heldBy: ["m1.lan/ns/app", "a.io:5000/ns/app"],
    pull: "a.io:5000/ns/app",
    by: "digest",
    asked: ["a.io:5000/ns/app"],
    from: "a.io:5000/ns/app",
  },
  {
    name: "When the source is an official image on docker.io without its namespace, it should never match",
    objects: [aDigestMirrorSet("short", [{ source: "docker.io/app", mirrors: ["m1.lan/c"] }])],
    heldBy: ["m1.lan/c", "registry-1.docker.io/library/app"],
    pull: "docker.io/app",
    by: "digest",
    asked: ["registry-1.docker.io/library/app"],
    from: "registry-1.docker.io/library/app",
  },
];

test.for(cases)("$name", async (scenario, { lab }) => {
  await play(lab, scenario);
});
