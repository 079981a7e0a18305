import { expect, test } from "vitest";
import { planningSettings, requirePinnedImage } from "./planning-settings.ts";

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

test.each([undefined, "registry.lab:8443/hubrelay/workload:1"])(
  "When the profile is hardened and the image is %s, it should name the setting and what to set",
  (workloadImage) => {
    const settings = { profile: "hardened", hubVersion: undefined, workloadImage } as const;
    expect(() => requirePinnedImage(settings)).toThrow(
      /HUBRELAY_WORKLOAD_IMAGE has no digest.*@sha256:DIGEST/,
    );
    expect(() => requirePinnedImage({ ...settings, profile: "seed" })).not.toThrow();
  },
);

test("When the profile is hardened and the image has a digest, it should be accepted", () => {
  const workloadImage = `registry.lab:8443/hubrelay/workload@sha256:${"a".repeat(64)}`;
  expect(() =>
    requirePinnedImage({ profile: "hardened", hubVersion: undefined, workloadImage }),
  ).not.toThrow();
});
