import { expect, test } from "vitest";
import { emptySpec, readStoredSpec, storedSpec } from "./precaching-spec.ts";

const spec = { ...emptySpec, additionalImages: ["quay.io/acme/a@sha256:1"], spaceRequired: "35" };

test("When a spec is stored, it should have what TALM stores: no empty fields", () => {
  expect(storedSpec(spec)).toEqual({
    additionalImages: ["quay.io/acme/a@sha256:1"],
    spaceRequired: "35",
  });
});

test("When a stored spec is read, it should be what was stored", () => {
  const whole = {
    platformImage: "quay.io/r@sha256:1",
    operatorsIndexes: ["quay.io/i:v1"],
    operatorsPackagesAndChannels: ["ptp-operator:stable"],
    excludePrecachePatterns: ["aws"],
    additionalImages: ["quay.io/a@sha256:1"],
    spaceRequired: "35",
  };
  for (const one of [spec, whole]) expect(readStoredSpec(storedSpec(one))).toEqual(one);
});

test.for([undefined, null, {}, { additionalImages: "quay.io/acme/a", spaceRequired: 35 }])(
  "When the stored spec is %j, it should be read as empty",
  (stored) => {
    expect(readStoredSpec(stored)).toEqual(emptySpec);
  },
);
