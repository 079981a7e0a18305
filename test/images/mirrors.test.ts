import { aContentSourcePolicy, aDigestMirrorSet, aTagMirrorSet } from "../support/hub/objects.ts";
import { type Outcome, play, type Scenario } from "./support/scenarios/scenario.ts";
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
    name: "When no mirror holds the image, it should request it from all in the given order and from the source last",
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
    name: "When a mirror holds the image, it should send no requests to later ones",
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
    name: "When no registry holds the image, it should have requested it from all of them",
    objects: [digestMirrors],
    heldBy: [],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m1.lan/digest/app", "a.io/ns/app"],
  },
  {
    name: "When two objects share a source, it should try the mirrors of both, each in its own order",
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
    name: "When the source is in the middle of its mirrors, it should try it there and again at the end",
    objects: [
      aDigestMirrorSet("middle", [{ source: "a.io/ns", mirrors: ["m3.lan/c", "a.io/ns", "m1.lan/c"] }]),
    ],
    heldBy: [],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m3.lan/c/app", "a.io/ns/app", "m1.lan/c/app", "a.io/ns/app"],
  },
];

test.for(cases)("$name", async (scenario, { lab }) => {
  await play(lab, scenario);
});
