import { aDigestMirrorSet, aTagMirrorSet } from "../support/hub/objects.ts";
import { type Outcome, play, type Scenario } from "./support/scenarios/scenario.ts";
import { test } from "./support/test.ts";

const cases: readonly (Scenario & Outcome)[] = [
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
    name: "When the mirror of a whole repository is a bare host, it should fail without a request",
    objects: [aDigestMirrorSet("bare", [{ source: "a.io/ns/app", mirrors: ["m1.lan", "m3.lan/c"] }])],
    heldBy: ["m3.lan/c", "a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: [],
  },
  {
    name: "When the source is a wildcard, it should mirror every sub-domain and keep the path",
    objects: [aDigestMirrorSet("wildcard", [{ source: "*.a.io", mirrors: ["m1.lan/c"] }])],
    heldBy: ["m1.lan/c/ns/app"],
    pull: "y.x.a.io/ns/app",
    by: "digest",
    asked: ["m1.lan/c/ns/app"],
    from: "m1.lan/c/ns/app",
  },
  {
    name: "When the source is a wildcard, it should not mirror the domain itself",
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
    name: "When the source is a host, it should also mirror the host's other ports, and the port should become part of the name",
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
