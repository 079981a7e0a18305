import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { aDigestMirrorSet, anImageConfig } from "../support/hub/objects.ts";
import { type Outcome, play, type Scenario } from "./support/scenarios/scenario.ts";
import { test } from "./support/test.ts";

const allowing = (...allowedRegistries: readonly string[]): KubernetesObject =>
  anImageConfig({ allowedRegistries });
const mirrored = aDigestMirrorSet("mirrored", [{ source: "a.io/ns", mirrors: ["m1.lan/c"] }]);
const rejected = "is rejected by policy";

const cases: readonly (Scenario & Outcome)[] = [
  {
    name: "When a registry is allowed, its images should be pulled",
    image: allowing("a.io"),
    heldBy: ["a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "tag",
    asked: ["a.io/ns/app"],
    from: "a.io/ns/app",
  },
  {
    name: "When a registry is not allowed, its image should be rejected after it was found",
    image: allowing("a.io"),
    heldBy: ["m1.lan/ns/app"],
    pull: "m1.lan/ns/app",
    by: "tag",
    asked: ["m1.lan/ns/app"],
    stderr: rejected,
  },
  {
    name: "When the source is allowed and its mirror is not, it should come from the mirror",
    objects: [mirrored],
    image: allowing("a.io/ns"),
    heldBy: ["m1.lan/c/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m1.lan/c/app"],
    from: "m1.lan/c/app",
  },
  {
    name: "When only the mirror is allowed, the source's image should be rejected",
    objects: [mirrored],
    image: allowing("m1.lan"),
    heldBy: ["m1.lan/c/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["m1.lan/c/app"],
    stderr: rejected,
  },
  {
    name: "When one repository is allowed, those beside it should be rejected",
    image: allowing("a.io/ns/app"),
    heldBy: ["a.io/ns/apple"],
    pull: "a.io/ns/apple",
    by: "tag",
    asked: ["a.io/ns/apple"],
    stderr: rejected,
  },
  {
    name: "When a host is allowed, its other ports should not be",
    image: allowing("a.io"),
    heldBy: ["a.io:5000/ns/app"],
    pull: "a.io:5000/ns/app",
    by: "tag",
    asked: ["a.io:5000/ns/app"],
    stderr: rejected,
  },
  {
    name: "When a domain is allowed by a wildcard, its sub-domains should be allowed at every depth",
    image: allowing("*.a.io"),
    heldBy: ["y.x.a.io/ns/app"],
    pull: "y.x.a.io/ns/app",
    by: "digest",
    asked: ["y.x.a.io/ns/app"],
    from: "y.x.a.io/ns/app",
  },
  {
    name: "When a domain is allowed by a wildcard, it should not be allowed itself",
    image: allowing("*.a.io"),
    heldBy: ["a.io/ns/app"],
    pull: "a.io/ns/app",
    by: "digest",
    asked: ["a.io/ns/app"],
    stderr: rejected,
  },
];

test.for(cases)("$name", async (scenario, { lab }) => {
  await play(lab, scenario);
});
