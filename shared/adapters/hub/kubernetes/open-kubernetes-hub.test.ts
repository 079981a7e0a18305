import { expect, test } from "vitest";
import { cachedRead } from "./open-kubernetes-hub.ts";

/** Returns 1, 2, 3 … by how often it was read; single reads may fail. */
function aSource() {
  const source = {
    readings: 0,
    atMs: 0,
    fails: false,
    read: async () => {
      source.readings++;
      if (source.fails) throw new Error("away");
      return source.readings;
    },
  };
  const ask = cachedRead(
    1_000,
    () => source.read(),
    () => source.atMs,
  );
  return { source, ask };
}

test("When it is called again too early, it should return the last value", async () => {
  const { source, ask } = aSource();
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
  source.atMs = 999;
  expect(await ask()).toBe(1);
  source.atMs = 1_000;
  expect(await ask()).toBe(2);
});

test("When a read failed, the next call should read again", async () => {
  const { source, ask } = aSource();
  source.fails = true;
  await expect(Promise.all([ask(), ask()])).rejects.toThrow("away");
  expect(source.readings).toBe(1);
  source.fails = false;
  expect(await ask()).toBe(2);
});
