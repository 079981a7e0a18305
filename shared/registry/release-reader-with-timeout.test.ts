import { expect, test } from "vitest";
import type { RegistryAccess } from "../ports/registry.ts";
import type { ReleaseLookup, ReleaseReader } from "./release-reader.ts";
import { releaseReaderWithTimeout } from "./release-reader-with-timeout.ts";

const content = { version: "4.20.4", images: new Map([["cli", "reg.lan/ocp/art@sha256:1"]]) };
const found: ReleaseLookup = { state: "found", reference: "x", unavailable: new Map(), content };

/** A reader with these results; a silent registry never responds. */
function aReader(answers: Readonly<Record<string, ReleaseLookup | "silent">>) {
  const asked: string[] = [];
  const reader: Pick<ReleaseReader, "read"> = {
    read: (image) => {
      asked.push(image);
      const answer = answers[image];
      return answer === undefined || answer === "silent"
        ? Promise.withResolvers<ReleaseLookup>().promise
        : Promise.resolve(answer);
    },
  };
  return { asked, reader: { ...reader, readFrom: () => Promise.reject(new Error("not asked for")) } };
}

test("When the registry responds, it should return the result, read with the given access", async () => {
  const accesses: (RegistryAccess | undefined)[] = [];
  const { reader } = aReader({ "reg.lan/a:1": found });
  const patient = releaseReaderWithTimeout({
    ...reader,
    read: (image, sources, access) => {
      accesses.push(access);
      return reader.read(image, sources, access);
    },
  });
  expect(await patient.read("reg.lan/a:1", new Map(), { pullSecret: "{}" })).toBe(content);
  expect(accesses).toEqual([{ pullSecret: "{}" }]);
});

test("When the release is not found, it should say why, and read again the next time", async () => {
  const unavailable = new Map([["m.lan/a:1", "it answered 503"]]);
  const { asked, reader } = aReader({ "reg.lan/a:1": { state: "not found", unavailable } });
  const patient = releaseReaderWithTimeout(reader);
  for (let time = 0; time < 2; time++)
    expect(await patient.read("reg.lan/a:1", new Map())).toEqual({ problem: "m.lan/a:1: it answered 503" });
  expect(asked).toHaveLength(2);
});

test("When a registry does not respond, it should wait once, and skip only that registry for a while", async () => {
  const clock = { now: 0 };
  const { asked, reader } = aReader({ "dead.lan/a:1": "silent", "reg.lan/a:1": found });
  const patient = releaseReaderWithTimeout(reader, { waitMs: 1, cooldownMs: 60_000, now: () => clock.now });
  for (const image of ["dead.lan/a:1", "dead.lan/b:2"])
    expect(await patient.read(image, new Map())).toEqual({
      problem: expect.stringContaining("the registries of dead.lan did not respond in time"),
    });
  expect(await patient.read("reg.lan/a:1", new Map())).toBe(content);
  expect(asked).toEqual(["dead.lan/a:1", "reg.lan/a:1"]);
  clock.now = 60_000;
  await patient.read("dead.lan/b:2", new Map());
  expect(asked.at(-1)).toBe("dead.lan/b:2");
});

test("When more registries are skipped than the capacity, it should read from the oldest again", async () => {
  const { asked, reader } = aReader({});
  const patient = releaseReaderWithTimeout(reader, { waitMs: 1, capacity: 1, now: () => 0 });
  for (const image of ["a.lan/x:1", "b.lan/x:1", "b.lan/x:1", "a.lan/x:1"])
    await patient.read(image, new Map());
  expect(asked).toEqual(["a.lan/x:1", "b.lan/x:1", "a.lan/x:1"]);
});
