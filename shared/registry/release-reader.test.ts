import { describe, expect, test } from "vitest";
import { type Registry, type RegistryAccess, RegistryError } from "../ports/registry.ts";
import {
  type ReleaseLookup,
  type ReleaseReader,
  releaseReader,
  releaseReaderWithTimeout,
} from "./release-reader.ts";

const content = { version: "4.20.4", images: new Map([["cli", "reg.lan/ocp/art@sha256:1"]]) };
const found: ReleaseLookup = { state: "found", reference: "x", unavailable: new Map(), content };

/** A reader with these results; a silent registry never responds. */
function aReader(results: Readonly<Record<string, ReleaseLookup | "silent">>) {
  const requests: string[] = [];
  const reader: ReleaseReader = {
    read: ([image = ""]) => {
      requests.push(image);
      const result = results[image];
      return result === undefined || result === "silent"
        ? Promise.withResolvers<ReleaseLookup>().promise
        : Promise.resolve(result);
    },
  };
  return { requests, reader };
}

test("When the registry responds, it should return the result, read with the given access", async () => {
  const accesses: (RegistryAccess | undefined)[] = [];
  const { reader } = aReader({ "reg.lan/a:1": found });
  const bounded = releaseReaderWithTimeout({
    read: (locations, access) => {
      accesses.push(access);
      return reader.read(locations, access);
    },
  });
  expect(await bounded.read("reg.lan/a:1", ["reg.lan/a:1"], { pullSecret: "{}" })).toBe(content);
  expect(accesses).toEqual([{ pullSecret: "{}" }]);
});

test("When the release is not found, it should say why, and read again the next time", async () => {
  const unavailable = new Map([["m.lan/a:1", "it returned 503"]]);
  const { requests, reader } = aReader({ "reg.lan/a:1": { state: "not found", unavailable } });
  const bounded = releaseReaderWithTimeout(reader);
  for (let time = 0; time < 2; time++)
    expect(await bounded.read("reg.lan/a:1", ["reg.lan/a:1"])).toEqual({
      problem: "m.lan/a:1: it returned 503",
    });
  expect(requests).toHaveLength(2);
});

test("When a registry does not respond, it should wait once, and skip only that registry for a while", async () => {
  const clock = { now: 0 };
  const { requests, reader } = aReader({ "dead.lan/a:1": "silent", "reg.lan/a:1": found });
  const bounded = releaseReaderWithTimeout(reader, { waitMs: 1, cooldownMs: 60_000, now: () => clock.now });
  for (const image of ["dead.lan/a:1", "dead.lan/b:2"])
    expect(await bounded.read(image, [image])).toEqual({
      problem: expect.stringContaining("the registries of dead.lan did not respond in time"),
    });
  expect(await bounded.read("reg.lan/a:1", ["reg.lan/a:1"])).toBe(content);
  expect(requests).toEqual(["dead.lan/a:1", "reg.lan/a:1"]);
  clock.now = 60_000;
  await bounded.read("dead.lan/b:2", ["dead.lan/b:2"]);
  expect(requests.at(-1)).toBe("dead.lan/b:2");
});

test("When more registries are skipped than the capacity, it should read from the oldest again", async () => {
  const { requests, reader } = aReader({});
  const bounded = releaseReaderWithTimeout(reader, { waitMs: 1, capacity: 1, now: () => 0 });
  for (const image of ["a.lan/x:1", "b.lan/x:1", "b.lan/x:1", "a.lan/x:1"])
    await bounded.read(image, [image]);
  expect(requests).toEqual(["a.lan/x:1", "b.lan/x:1", "a.lan/x:1"]);
});

const digest = `sha256:${"d".repeat(64)}`;
const image = `quay.io/ocp/release@${digest}`;
const list = JSON.stringify({
  metadata: { name: "4.20.4" },
  spec: { tags: [{ name: "cli", from: { name: "quay.io/ocp/images@sha256:1" } }] },
});
const locations = [`m1.lan/x/release@${digest}`, `m2.lan/x/release@${digest}`, image];

/** What a registry has under a reference: the files of the release image, or another result. */
type Stock = Readonly<Record<string, string | undefined | RegistryError>>;

/** Registries with this content, and every reference whose files were read. */
function registries(stock: Stock): Readonly<{ registry: Registry; read: string[] }> {
  const read: string[] = [];
  const lookUp = (reference: string) => {
    const found = stock[reference];
    if (found instanceof RegistryError) throw found;
    return found;
  };
  const registry: Registry = {
    digest: async (reference) => (reference in stock && lookUp(reference) !== undefined ? digest : undefined),
    image: async () => undefined,
    files: async (reference, paths) => {
      read.push(reference);
      const text = lookUp(reference);
      return new Map(text && text !== "no list" ? paths.map((path) => [path, text] as const) : []);
    },
  };
  return { registry, read };
}

const unauthorized = new RegistryError(
  "Unauthorized",
  `m1.lan/x/release@${digest}: the registry rejects these credentials`,
);

describe("releaseReader", () => {
  test.for([
    {
      name: "the first mirror has it",
      stock: { [`m1.lan/x/release@${digest}`]: list, [image]: list },
      reference: `m1.lan/x/release@${digest}`,
      unavailable: [],
    },
    {
      name: "a mirror does not have it, and one rejects the credentials",
      stock: { [`m1.lan/x/release@${digest}`]: unauthorized, [image]: list },
      reference: image,
      unavailable: ["the registry rejects these credentials", "the registry does not have it"],
    },
    {
      name: "a mirror's image is not a release",
      stock: { [`m1.lan/x/release@${digest}`]: "no list", [`m2.lan/x/release@${digest}`]: list },
      reference: `m2.lan/x/release@${digest}`,
      unavailable: ["it has no release-manifests/image-references"],
    },
  ])("When $name, it should be read from $reference", async ({ stock, reference, unavailable }) => {
    const lookup = await releaseReader(registries(stock).registry).read(locations);
    expect(lookup).toMatchObject({
      state: "found",
      reference,
      content: { version: "4.20.4", images: new Map([["cli", "quay.io/ocp/images@sha256:1"]]) },
    });
    expect("unavailable" in lookup && [...lookup.unavailable.values()]).toEqual(unavailable);
  });

  test("When an error is not a registry's, it should throw it", async () => {
    const registry: Registry = {
      ...registries({}).registry,
      digest: async () => {
        throw new TypeError("a bug");
      },
    };
    await expect(releaseReader(registry).read(locations)).rejects.toThrow("a bug");
  });

  test("When a release is read again, it should be cached only for the same credential, up to the capacity", async () => {
    const other = `quay.io/other/release@${digest}`;
    const { registry, read } = registries({ [image]: list, [other]: list });
    const reader = releaseReader(registry, { capacity: 2 });
    const ask = async (reference: string, access?: RegistryAccess) => {
      await reader.read([reference], access);
      return read.splice(0);
    };
    expect(await ask(image)).toEqual([image]);
    expect(await ask(image)).toEqual([]);
    expect(await ask(image, { pullSecret: "one" })).toEqual([image]);
    expect(await ask(image)).toEqual([]);
    expect(await ask(other)).toEqual([other]);
    expect(await ask(image, { pullSecret: "one" })).toEqual([image]);
  });

  test("When a read failed, it should be read again the next time", async () => {
    const stock: Record<string, string> = { [image]: "no list" };
    const reader = releaseReader(registries(stock).registry);
    expect(await reader.read([image])).toMatchObject({ state: "not found" });
    stock[image] = list;
    expect(await reader.read([image])).toMatchObject({ state: "found" });
  });
});
