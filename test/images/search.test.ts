import { anImageConfig, aTagMirrorSet } from "../support/hub/objects.ts";
import { type Outcome, play, type Scenario } from "./support/scenarios/scenario.ts";
import { test } from "./support/test.ts";

const searching = (...containerRuntimeSearchRegistries: readonly string[]) =>
  anImageConfig({ containerRuntimeSearchRegistries });

const cases: readonly (Scenario & Outcome)[] = [
  {
    name: "When a name has no host, it should be searched at the search registries in the given order",
    image: searching("m1.lan", "a.io", "m3.lan"),
    heldBy: ["a.io/ns/app", "m3.lan/ns/app"],
    pull: "ns/app",
    by: "tag",
    asked: ["m1.lan/ns/app", "a.io/ns/app"],
    from: "a.io/ns/app",
  },
  {
    name: "When a search registry is mirrored, its mirrors should be tried before the next one",
    objects: [aTagMirrorSet("mirrored", [{ source: "a.io", mirrors: ["m1.lan/c"] }])],
    image: searching("a.io", "m3.lan"),
    heldBy: ["m3.lan/ns/app"],
    pull: "ns/app",
    by: "tag",
    asked: ["m1.lan/c/ns/app", "a.io/ns/app", "m3.lan/ns/app"],
    from: "m3.lan/ns/app",
  },
  {
    name: "When docker.io is searched, the request should be for the official image",
    image: searching("docker.io", "a.io"),
    heldBy: ["registry-1.docker.io/library/app"],
    pull: "app",
    by: "tag",
    asked: ["registry-1.docker.io/library/app"],
    from: "registry-1.docker.io/library/app",
  },
  {
    name: "When a name has a host, it should not be searched for",
    image: searching("m1.lan"),
    heldBy: ["m1.lan/ns/app"],
    pull: "a.io/ns/app",
    by: "tag",
    asked: ["a.io/ns/app"],
  },
];

test.for(cases)("$name", async (scenario, { lab }) => {
  await play(lab, scenario);
});
