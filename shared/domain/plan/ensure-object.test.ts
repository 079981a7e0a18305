import { expect, test } from "vitest";
import type { KubernetesObject, ObjectMeta } from "../kubernetes/object.ts";
import { ensureObject, mergeInto } from "./ensure-object.ts";

const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "1" };
const other = { ...owner, name: "p", uid: "2" };

function anObject(metadata: Partial<ObjectMeta>, fields: Partial<KubernetesObject> = {}): KubernetesObject {
  return { apiVersion: "v1", kind: "Thing", metadata: { name: "t", ...metadata }, ...fields };
}

test("When the object does not exist, it should be created as it is wanted", () => {
  const wanted = anObject({ labels: { a: "1" } }, { spec: { b: 1 } });
  expect(ensureObject(undefined, mergeInto(undefined, wanted), "why")).toEqual([
    { verb: "create", object: wanted, reason: "why" },
  ]);
});

type Case = Readonly<{
  what: string;
  present: KubernetesObject;
  wanted: KubernetesObject;
  fields: string;
  written: KubernetesObject;
}>;

test.for<Case>([
  {
    what: "a label is lost",
    present: anObject({ resourceVersion: "7", labels: { team: "x" } }),
    wanted: anObject({ labels: { "example.com/role": "worker" } }),
    fields: 'metadata.labels["example.com/role"]',
    written: anObject({ resourceVersion: "7", labels: { team: "x", "example.com/role": "worker" } }),
  },
  {
    what: "it has no labels at all",
    present: anObject({}),
    wanted: anObject({ labels: { role: "worker" } }),
    fields: "metadata.labels.role",
    written: anObject({ labels: { role: "worker" } }),
  },
  {
    what: "an annotation has another value",
    present: anObject({ annotations: { a: "1", theirs: "2" } }),
    wanted: anObject({ annotations: { a: "3" } }),
    fields: "metadata.annotations.a",
    written: anObject({ annotations: { a: "3", theirs: "2" } }),
  },
  {
    what: "another object owns it",
    present: anObject({ ownerReferences: [other] }),
    wanted: anObject({ ownerReferences: [owner] }),
    fields: "metadata.ownerReferences",
    written: anObject({ ownerReferences: [owner] }),
  },
  {
    what: "several fields differ",
    present: anObject({}, { spec: { a: 1, old: true, same: [1] }, status: { ready: true } }),
    wanted: anObject({}, { spec: { a: { deep: 2 }, same: [1] } }),
    fields: "spec.a, spec.old",
    written: anObject({}, { spec: { a: { deep: 2 }, same: [1] }, status: { ready: true } }),
  },
  {
    what: "a list became a record",
    present: anObject({}, { data: [1] }),
    wanted: anObject({}, { data: { a: "1" } }),
    fields: "data",
    written: anObject({}, { data: { a: "1" } }),
  },
])(
  "When $what, it should be updated, and the reason should name $fields",
  ({ present, wanted, fields, written }) => {
    const actions = ensureObject(present, mergeInto(present, wanted), "why");
    expect(actions).toEqual([{ verb: "update", object: written, reason: `why; changes ${fields}` }]);
    expect(ensureObject(written, mergeInto(written, wanted), "why")).toEqual([]);
  },
);

test.for<{ what: string; present: KubernetesObject; wanted: KubernetesObject }>([
  {
    what: "others added metadata and a status",
    present: anObject(
      { uid: "u", labels: { a: "1", b: "2" }, annotations: { c: "3" }, ownerReferences: [other, owner] },
      { spec: { d: { e: 1, f: 2 } }, status: {} },
    ),
    wanted: anObject({ labels: { a: "1" }, ownerReferences: [owner] }, { spec: { d: { f: 2, e: 1 } } }),
  },
  {
    what: "the wanted object names no owner",
    present: anObject({ ownerReferences: [other] }),
    wanted: anObject({}),
  },
])("When $what, nothing should be written", ({ present, wanted }) => {
  expect(ensureObject(present, mergeInto(present, wanted), "why")).toEqual([]);
});
