import { expect, test } from "vitest";
import { ownWrites } from "./own-writes.ts";

const cgu = {
  apiVersion: "ran.openshift.io/v1alpha1",
  kind: "ClusterGroupUpgrade",
  name: "upgrade",
  uid: "u1",
};
const written = { ...cgu, resourceVersion: "7" };

test.for([
  { event: "the update that was written", verb: "update", reference: written, isEcho: true },
  {
    event: "a later version",
    verb: "update",
    reference: { ...written, resourceVersion: "8" },
    isEcho: false,
  },
  {
    event: "an earlier version",
    verb: "update",
    reference: { ...written, resourceVersion: "6" },
    isEcho: false,
  },
  {
    event: "a new object of that name",
    verb: "update",
    reference: { ...written, uid: "u2" },
    isEcho: false,
  },
  { event: "a tick that names it as it is", verb: "add", reference: written, isEcho: false },
  { event: "its end", verb: "delete", reference: written, isEcho: false },
  { event: "a hint without a version", verb: "update", reference: cgu, isEcho: false },
] as const)("When $event is received, it should be an own write: $isEcho", ({ verb, reference, isEcho }) => {
  const own = ownWrites();
  own.note({ ...written, resourceVersion: "6" });
  own.note(written);
  expect(own.isEcho({ verb, reference })).toBe(isEcho);
});

test("When thousands of objects are written, only the latest should be remembered", () => {
  const own = ownWrites();
  for (let index = 0; index < 5_000; index++) own.note({ ...written, uid: `u${index}` });
  const isEcho = (uid: string) => own.isEcho({ verb: "update", reference: { ...written, uid } });
  expect([isEcho("u0"), isEcho("u3999"), isEcho("u4000"), isEcho("u4999")]).toEqual([
    false,
    false,
    true,
    true,
  ]);
});
