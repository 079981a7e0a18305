import fc from "fast-check";
import { expect, test } from "vitest";
import { type KubernetesObject, kinds } from "../../../domain/kubernetes/object.ts";
import { knownObjects } from "./known-objects.ts";

type Change = ReturnType<ReturnType<typeof knownObjects>["stored"]>[number];
type Version = Readonly<{ uid: string; resourceVersion: string }>;

const { apiVersion, kind } = kinds.Event;

function anObject([namespace = "", name = ""]: readonly string[], version: Version): KubernetesObject {
  return { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}), ...version } };
}

/** The state of a reader that has applied every change. */
function apply(held: Map<string, Version>, { verb, object }: Change): void {
  const { namespace = "", name, uid = "", resourceVersion = "" } = object.metadata;
  const key = `${namespace}/${name}`;
  if (verb === "add") expect(held.has(key)).toBe(false);
  else expect(held.get(key)?.uid).toBe(uid);
  if (verb === "delete") held.delete(key);
  else held.set(key, { uid, resourceVersion });
}

const version = fc
  .tuple(fc.constantFrom("u1", "u2"), fc.constantFrom("1", "2", "3"))
  .map(([uid, resourceVersion]) => ({ uid, resourceVersion }));
const path = fc.constantFrom("/a", "n/a", "n/b", "m/a");
const contents = fc.dictionary(path, version, { noNullPrototype: true });

const step = fc.oneof(
  fc.record({ how: fc.constant("stored" as const), path, version }),
  fc.record({ how: fc.constant("deleted" as const), path, version }),
  fc.record({ how: fc.constant("relisted" as const), contents, abandoned: contents }),
);

test("When stores, deletions and new lists come in any order, the changes should lead to the current state", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const known = knownObjects(kinds.Event);
      const server = new Map<string, Version>();
      const held = new Map<string, Version>();
      const take = (changes: readonly Change[]) => {
        for (const change of changes) apply(held, change);
      };
      for (const one of steps) {
        if (one.how === "stored") {
          server.set(one.path, one.version);
          take(known.stored(anObject(one.path.split("/"), one.version)));
        } else if (one.how === "deleted") {
          server.delete(one.path);
          // The last state of an object comes with its deletion, with the uid that was reported.
          const last = { ...one.version, ...held.get(one.path) };
          take(known.deleted(anObject(one.path.split("/"), last)));
        } else {
          const comparison = known.relisted();
          // The first pages of a restarted list have been reported, and do not count.
          for (const [key, seen] of Object.entries(one.abandoned))
            take(comparison.listed(anObject(key.split("/"), seen)));
          comparison.restarted();
          server.clear();
          for (const [key, seen] of Object.entries(one.contents)) {
            server.set(key, seen);
            take(comparison.listed(anObject(key.split("/"), seen)));
          }
          take(comparison.complete());
        }
        expect(held).toEqual(server);
      }
    }),
    { numRuns: 500 },
  );
});

test("When a watch repeats known versions, there should be no changes", () => {
  const known = knownObjects(kinds.Event);
  const object = anObject(["n", "a"], { uid: "u1", resourceVersion: "1" });
  expect(known.stored(object)).toHaveLength(1);
  expect(known.stored(object)).toEqual([]);
  expect(known.relisted().listed(object)).toEqual([]);
});
