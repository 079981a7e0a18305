import { expect, test } from "vitest";
import { planningChoices } from "./planning-choices.ts";

test.each([
  [{}, { profile: "seed", hubVersion: undefined }],
  [
    { HUBRELAY_PRECACHE_PROFILE: "", HUBRELAY_HUB_VERSION: "" },
    { profile: "seed", hubVersion: undefined },
  ],
  [
    { HUBRELAY_PRECACHE_PROFILE: "hardened", HUBRELAY_HUB_VERSION: "4.20" },
    { profile: "hardened", hubVersion: "4.20" },
  ],
])("When the environment is %o, the choices should be %o", (environment, choices) => {
  expect(planningChoices(environment)).toEqual(choices);
});

test.each([
  ["HUBRELAY_PRECACHE_PROFILE", "Hardened", "it should be seed or hardened"],
  ["HUBRELAY_HUB_VERSION", "latest", "it should be like 4.20 or 4.20.3"],
])("When %s is %s, it should say what belongs there", (name, value, told) => {
  expect(() => planningChoices({ [name]: value })).toThrow(told);
});
