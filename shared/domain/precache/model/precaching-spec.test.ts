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
  expect(readStoredSpec(storedSpec(spec))).toEqual(spec);
});

test.for([undefined, null, {}, { additionalImages: "quay.io/acme/a", spaceRequired: 35 }])(
  "When the stored spec is %j, it should be read as empty",
  (stored) => {
    expect(readStoredSpec(stored)).toEqual(emptySpec);
  },
);
