import { expect, test } from "vitest";
import type { LogEntry } from "../../ports/log.ts";
import { loggedStartingSettings, planningSettings, startingSettings } from "./planning-settings.ts";

test.each([
  [{}, { profile: "standard", hubVersion: undefined, indexRepositories: [], workloadImage: "" }],
  [
    { HUBRELAY_PRECACHE_PROFILE: "", HUBRELAY_HUB_VERSION: "", HUBRELAY_WORKLOAD_IMAGE: "" },
    { profile: "standard", hubVersion: undefined, indexRepositories: [], workloadImage: "" },
  ],
  [
    {
      HUBRELAY_PRECACHE_PROFILE: "hardened",
      HUBRELAY_HUB_VERSION: "4.20",
      HUBRELAY_INDEX_REPOSITORIES:
        "registry.redhat.io/redhat/redhat-operator-index, registry.lab:8443/olm/index,",
      HUBRELAY_WORKLOAD_IMAGE: "registry.lab:8443/hubrelay/workload:1",
    },
    {
      profile: "hardened",
      hubVersion: "4.20",
      indexRepositories: ["registry.redhat.io/redhat/redhat-operator-index", "registry.lab:8443/olm/index"],
      workloadImage: "registry.lab:8443/hubrelay/workload:1",
    },
  ],
])("When the environment is %o, the choices should be %o", (environment, choices) => {
  expect(planningSettings(environment)).toEqual(choices);
});

test.each([
  ["HUBRELAY_PRECACHE_PROFILE", "Hardened", "it should be standard or hardened"],
  ["HUBRELAY_HUB_VERSION", "latest", "it should be like 4.20 or 4.20.3"],
  ["HUBRELAY_INDEX_REPOSITORIES", "registry.lab:8443", "it should be like registry.redhat.io/"],
  ["HUBRELAY_INDEX_REPOSITORIES", "registry.lab/olm/index:v4.20", "without tags and digests"],
  ["HUBRELAY_WORKLOAD_IMAGE", "precache-workload:1", "it should be like registry.example.com/"],
])("When %s is %s, it should say what is expected", (name, value, message) => {
  expect(() => planningSettings({ [name]: value })).toThrow(message);
});

test("When Jobs are started in the profile hardened with an image by tag, it should name the setting and what to set", () => {
  const environment = {
    HUBRELAY_PRECACHE_PROFILE: "hardened",
    HUBRELAY_WORKLOAD_IMAGE: "registry.lab:8443/hubrelay/workload:1",
  };
  expect(() => startingSettings(environment)).toThrow(
    /HUBRELAY_WORKLOAD_IMAGE has no digest.*@sha256:DIGEST/,
  );
});

test.each(["standard", "hardened"])(
  "When there is no image in the profile %s, pre-caching should be off",
  (profile) => {
    expect(startingSettings({ HUBRELAY_PRECACHE_PROFILE: profile })).toMatchObject({ isOff: true });
    expect(planningSettings({ HUBRELAY_PRECACHE_PROFILE: profile })).not.toHaveProperty("isOff");
  },
);

test.each([
  { profile: "standard", image: "registry.lab:8443/hubrelay/workload:1" },
  { profile: "hardened", image: `registry.lab:8443/hubrelay/workload@sha256:${"a".repeat(64)}` },
])("When the profile is $profile and the image $image, it should be accepted", ({ profile, image }) => {
  const environment = { HUBRELAY_PRECACHE_PROFILE: profile, HUBRELAY_WORKLOAD_IMAGE: image };
  expect(startingSettings(environment)).toMatchObject({ profile, workloadImage: image });
});

test("When there is no image, functions that start Jobs should say once in their log that they are off", () => {
  const entries: LogEntry[] = [];
  const log = (entry: LogEntry) => void entries.push(entry);
  loggedStartingSettings({}, ["precache-plan"], log);
  loggedStartingSettings({ HUBRELAY_WORKLOAD_IMAGE: "registry.lab/workload:1" }, ["precache-plan"], log);
  const reason = expect.stringContaining("HUBRELAY_WORKLOAD_IMAGE");
  expect(entries).toEqual([{ event: "functions-off", functions: ["precache-plan"], reason }]);
});
