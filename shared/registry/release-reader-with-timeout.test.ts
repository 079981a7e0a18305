import { expect, test } from "vitest";
import type { RegistryAccess } from "../ports/registry.ts";
import type { ReleaseLookup, ReleaseReader } from "./release-reader.ts";
import { releaseReaderWithTimeout } from "./release-reader-with-timeout.ts";

const content = { version: "4.20.4", images: new Map([["cli", "reg.lan/ocp/art@sha256:1"]]) };
const found: ReleaseLookup = { state: "found", reference: "x", unavailable: new Map(), content };

/** A reader with these results; a silent registry never responds. */
function aReader(results: Readonly<Record<string, ReleaseLookup | "silent">>) {
  const requests: string[] = [];
  const reader: Pick<ReleaseReader, "read"> = {
    read: (image) => {
      requests.push(image);
      const result = results[image];
      return result === undefined || result === "silent"
        ? Promise.withResolvers<ReleaseLookup>().promise
        : Promise.resolve(result);
    },
  };
  return { requests, reader: { ...reader, readFrom: () => Promise.reject(new Error("not expected")) } };
}

test("When the registry responds, it should return the result, read with the given access", async () => {
  const accesses: (RegistryAccess | undefined)[] = [];
  const { reader } = aReader({ "reg.lan/a:1": found });
  const bounded = releaseReaderWithTimeout({
    ...reader,
    read: (image, sources, access) => {
      accesses.push(access);
      return reader.read(image, sources, access);
    },
  });
  expect(await bounded.read("reg.lan/a:1", new Map(), { pullSecret: "{}" })).toBe(content);
  expect(accesses).toEqual([{ pullSecret: "{}" }]);
});

test("When the release is not found, it should say why, and read again the next time", async () => {
  const unavailable = new Map([["m.lan/a:1", "it returned 503"]]);
  const { requests, reader } = aReader({ "reg.lan/a:1": { state: "not found", unavailable } });
  const bounded = releaseReaderWithTimeout(reader);
  for (let time = 0; time < 2; time++)
    expect(await bounded.read("reg.lan/a:1", new Map())).toEqual({ problem: "m.lan/a:1: it returned 503" });
  expect(requests).toHaveLength(2);
});

test("When a registry does not respond, it should wait once, and skip only that registry for a while", async () => {
  const clock = { now: 0 };
  const { requests, reader } = aReader({ "dead.lan/a:1": "silent", "reg.lan/a:1": found });
  const bounded = releaseReaderWithTimeout(reader, { waitMs: 1, cooldownMs: 60_000, now: () => clock.now });
  for (const image of ["dead.lan/a:1", "dead.lan/b:2"])
    expect(await bounded.read(image, new Map())).toEqual({
      problem: expect.stringContaining("the registries of dead.lan did not respond in time"),
    });
  expect(await bounded.read("reg.lan/a:1", new Map())).toBe(content);
  expect(requests).toEqual(["dead.lan/a:1", "reg.lan/a:1"]);
  clock.now = 60_000;
  await bounded.read("dead.lan/b:2", new Map());
  expect(requests.at(-1)).toBe("dead.lan/b:2");
});

test("When more registries are skipped than the capacity, it should read from the oldest again", async () => {
  const { requests, reader } = aReader({});
  const bounded = releaseReaderWithTimeout(reader, { waitMs: 1, capacity: 1, now: () => 0 });
  for (const image of ["a.lan/x:1", "b.lan/x:1", "b.lan/x:1", "a.lan/x:1"])
    await bounded.read(image, new Map());
  expect(requests).toEqual(["a.lan/x:1", "b.lan/x:1", "a.lan/x:1"]);
});
