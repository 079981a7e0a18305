import { expect, test } from "vitest";
import { planningSettings } from "./planning-settings.ts";

test.each([
  [{}, { profile: "seed", hubVersion: undefined, workloadImage: undefined }],
  [
    { HUBRELAY_PRECACHE_PROFILE: "", HUBRELAY_HUB_VERSION: "", HUBRELAY_WORKLOAD_IMAGE: "" },
    { profile: "seed", hubVersion: undefined, workloadImage: undefined },
  ],
  [
    {
      HUBRELAY_PRECACHE_PROFILE: "hardened",
      HUBRELAY_HUB_VERSION: "4.20",
      HUBRELAY_WORKLOAD_IMAGE: "registry.lab:8443/hubrelay/workload:1",
    },
    { profile: "hardened", hubVersion: "4.20", workloadImage: "registry.lab:8443/hubrelay/workload:1" },
  ],
])("When the environment is %o, the choices should be %o", (environment, choices) => {
  expect(planningSettings(environment)).toEqual(choices);
});

test.each([
  ["HUBRELAY_PRECACHE_PROFILE", "Hardened", "it should be seed or hardened"],
  ["HUBRELAY_HUB_VERSION", "latest", "it should be like 4.20 or 4.20.3"],
  ["HUBRELAY_WORKLOAD_IMAGE", "precache-workload:1", "it should be like registry.example.com/"],
])("When %s is %s, it should say what is expected", (name, value, message) => {
  expect(() => planningSettings({ [name]: value })).toThrow(message);
});
