import { expect, test } from "vitest";
import { aCheckRun, aRun, aWork } from "../../../test/support/precache/precache-objects.ts";
import type { ObjectMeta } from "../kubernetes/object.ts";
import { cguLabels, checkRunOf, isWorkName, runOf, workName } from "./work-identity.ts";

test.for([
  { run: aRun, name: "precache-7f3a9c0d1e-f6298f" },
  { run: { ...aRun, attempt: 2 }, name: "precache-7f3a9c0d1e-f6298f-2" },
  { run: aCheckRun, name: "precache-check-7f3a9c0d1e-f6298f-1772586000" },
])("When a work is named $name, that should be valid", ({ run, name }) => {
  expect(workName(run)).toBe(name);
  expect(isWorkName(name)).toBe(true);
});

test.for([
  "",
  "addon",
  "a-precache-7f3a9c0d1e-f6298f",
  "precache-7f3a9c0d1e-f6298f-2-a",
  "precache-7f3a9c0d1e-f6298f-",
  "precache-7f3a9c0d1-f6298f",
  "precache-7f3a9c0d1e-f6298",
  "precache-7f3a9c0d1g-f6298f",
])("When another work is named %j, that should not be valid", (name) => {
  expect(isWorkName(name)).toBe(false);
});

test.for<readonly [string, (metadata: ObjectMeta) => Partial<ObjectMeta>]>([
  ["no labels", () => ({ labels: {} })],
  ["no annotations", () => ({ annotations: {} })],
  ["no revision", ({ labels }) => ({ labels: { ...labels, "hubrelay.dev/precache-revision": "" } })],
  ...["upgrade", "/upgrade", "default/", "a/default/upgrade", ""].map(
    (name): [string, () => Partial<ObjectMeta>] => [
      `the upgrade ${JSON.stringify(name)}`,
      () => ({ annotations: { "hubrelay.dev/cgu": name } }),
    ],
  ),
  ...["", "0", "-1", "1.5", "one"].map((number): [string, (metadata: ObjectMeta) => Partial<ObjectMeta>] => [
    `the number ${JSON.stringify(number)}`,
    ({ labels }) => ({
      labels: { ...labels, "hubrelay.dev/attempt": number, "hubrelay.dev/precache-check": number },
    }),
  ]),
])("When a work has %s, it should be neither a run nor a check", ([, changed]) => {
  for (const run of [aRun, aCheckRun]) {
    const work = aWork("sno1", run);
    const other = { ...work, metadata: { ...work.metadata, ...changed(work.metadata) } };
    expect([runOf(other), checkRunOf(other)]).toEqual([undefined, undefined]);
  }
});

test("When a name is as long as a label may be, it should be the label; a longer one should be cut and stay unique", () => {
  const labelOf = (name: string) => cguLabels({ namespace: "default", name })["hubrelay.dev/cgu"];
  expect(labelOf("u".repeat(63))).toBe("u".repeat(63));
  expect(labelOf("u".repeat(64))).toMatch(/^u{46}-[0-9a-f]{16}$/);
  expect(labelOf("u".repeat(64))).not.toBe(labelOf("u".repeat(65)));
});
