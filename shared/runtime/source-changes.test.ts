import { setImmediate as settled } from "node:timers/promises";
import { expect, test } from "vitest";
import { kinds } from "../domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "../domain/kubernetes/object.ts";
import { debounce, fingerprintChanges, type SourceChange } from "./source-changes.ts";

const { apiVersion, kind } = kinds.Policy;
const aPolicy = (name: string, spec: unknown = {}): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: "ztp", resourceVersion: "1" },
  spec,
});
const changeOf = (name: string, verb: "add" | "update" | "delete" = "update") =>
  ({ verb, object: aPolicy(name) }) as const;

/** A calm whose rests end when the test says so. */
function aCalm() {
  const stop = new AbortController();
  const passed: string[][] = [];
  const rests: (() => void)[] = [];
  const textOf = ({ verb, reference, isMany }: SourceChange) =>
    `${verb} ${reference.name}${isMany ? " and others" : ""}`;
  const calm = debounce({
    restMs: 10_000,
    signal: stop.signal,
    pass: async (changes) => {
      passed.push(changes.map(textOf));
    },
    rest: () => new Promise<void>((end) => rests.push(end)),
  });
  return {
    calm,
    passed,
    stop,
    async restEnds() {
      rests.shift()?.();
      await settled();
    },
  };
}

test("When one thing changes, it should be passed on at once, and what comes after it together, the latest of each", async () => {
  const { calm, passed, restEnds } = aCalm();
  calm.put(changeOf("a"));
  await settled();
  expect(passed).toEqual([["update a"]]);
  for (let time = 0; time < 3_500; time++) calm.put(changeOf("a"));
  calm.put(changeOf("b"));
  calm.put(changeOf("a", "delete"));
  await settled();
  expect(passed).toHaveLength(1);
  await restEnds();
  expect(passed).toEqual([["update a"], ["delete a", "update b"]]);
});

test("When nothing came in the rest, the next change should be passed on at once again", async () => {
  const { calm, passed, restEnds } = aCalm();
  calm.put(changeOf("a"));
  await settled();
  await restEnds();
  calm.put(changeOf("a"));
  await settled();
  expect(passed).toEqual([["update a"], ["update a"]]);
});

test("When a whole fleet changes, one should stand for all of its kind", async () => {
  const { calm, passed, restEnds } = aCalm();
  calm.put(changeOf("first"));
  await settled();
  for (let number = 0; number < 3_500; number++) calm.put(changeOf(`sno${number}`));
  await restEnds();
  expect(passed).toEqual([["update first"], ["update sno0 and others"]]);
});

test("When it is over, nothing more should be passed on", async () => {
  const { calm, passed, stop, restEnds } = aCalm();
  calm.put(changeOf("a"));
  await settled();
  calm.put(changeOf("b"));
  stop.abort();
  await restEnds();
  expect(passed).toEqual([["update a"]]);
});

test("When what matters about an object stays, it should be no change; when it goes, it should be one", () => {
  const isChange = fingerprintChanges({
    kind: kinds.Policy,
    fingerprint: ({ spec }) => String(Object(spec).color),
  });
  const told = (verb: "add" | "update" | "delete", spec: unknown) =>
    isChange({ verb, object: aPolicy("a", spec) });
  expect(told("add", { color: "red", size: 1 })).toBe(true);
  expect(told("update", { color: "red", size: 2 })).toBe(false);
  expect(told("update", { color: "blue", size: 2 })).toBe(true);
  expect(told("delete", {})).toBe(true);
  expect(told("add", { color: "blue" })).toBe(true);
});
