import { setImmediate as settled } from "node:timers/promises";
import { expect, test } from "vitest";
import { type KubernetesObject, kinds } from "../../domain/kubernetes/object.ts";
import type { Watch } from "../controller.ts";
import { changeFilter, type DebouncedChange, debounce } from "./changes.ts";

const { apiVersion, kind } = kinds.Policy;
const aPolicy = (name: string, spec: unknown = {}): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: "ztp", resourceVersion: "1" },
  spec,
});
const changeOf = (name: string, verb: "add" | "update" | "delete" = "update") =>
  ({ verb, object: aPolicy(name) }) as const;

/** A debounce whose delays end on demand. */
function aDebounce() {
  const stop = new AbortController();
  const passed: string[][] = [];
  const delays: (() => void)[] = [];
  const textOf = ({ verb, reference }: DebouncedChange) => `${verb} ${reference.kind} ${reference.name}`;
  const debounced = debounce({
    signal: stop.signal,
    pass: async (changes) => {
      passed.push(changes.map(textOf));
    },
    delay: () => new Promise<void>((end) => delays.push(end)),
  });
  return {
    debounced,
    passed,
    stop,
    async endDelay() {
      delays.shift()?.();
      await settled();
    },
  };
}

test("When one thing changes, it should be passed on at once, and the following ones together, the latest of each", async () => {
  const { debounced, passed, endDelay } = aDebounce();
  debounced.put(changeOf("a"));
  await settled();
  expect(passed).toEqual([["update Policy a"]]);
  for (let time = 0; time < 3_500; time++) debounced.put(changeOf("a"));
  debounced.put(changeOf("b"));
  debounced.put(changeOf("a", "delete"));
  await settled();
  expect(passed).toHaveLength(1);
  await endDelay();
  expect(passed).toEqual([["update Policy a"], ["delete Policy a", "update Policy b"]]);
});

test("When nothing changed in the interval, the next change should be passed on at once again", async () => {
  const { debounced, passed, endDelay } = aDebounce();
  debounced.put(changeOf("a"));
  await settled();
  await endDelay();
  debounced.put(changeOf("a"));
  await settled();
  expect(passed).toEqual([["update Policy a"], ["update Policy a"]]);
});

test("When a whole fleet changes, one event should name all of its kind", async () => {
  const { debounced, passed, endDelay } = aDebounce();
  debounced.put(changeOf("first"));
  await settled();
  for (let number = 0; number < 3_500; number++) debounced.put(changeOf(`sno${number}`));
  await endDelay();
  expect(passed).toEqual([["update Policy first"], ["update Policy all"]]);
});

test("When the signal aborts, nothing more should be passed on", async () => {
  const { debounced, passed, stop, endDelay } = aDebounce();
  debounced.put(changeOf("a"));
  await settled();
  debounced.put(changeOf("b"));
  stop.abort();
  await endDelay();
  expect(passed).toEqual([["update Policy a"]]);
});

const anObject = (name: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
});

test.for([
  { what: "fingerprint", failing: { fingerprint: () => JSON.parse("{") } },
  { what: "refersTo", failing: { refersTo: () => JSON.parse("{") } },
])(
  "When $what fails on an object, it should pass the object on, so that the watch does not end",
  ({ failing }) => {
    const watch: Watch = { kind: kinds.ConfigMap, mapToKeys: () => [], ...failing };
    const isChange = changeFilter(watch);
    expect(isChange({ verb: "update", object: anObject("a") })).toBe(true);
    expect(isChange({ verb: "update", object: anObject("a") })).toBe(true);
  },
);
