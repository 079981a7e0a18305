import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ImageReference, tryParseImageReference } from "#shared/domain/images/image-reference.ts";
import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { type Candidate, resolve } from "#shared/domain/mirrors/pull/pull-sources.ts";
import { tryParseRegistriesConf } from "#shared/domain/mirrors/registries-conf/base-file.ts";
import { loadFailure } from "#shared/domain/mirrors/registries-conf/load-failure.ts";
import {
  encodeRegistriesConf,
  type RegistryEntry,
  scopeOf,
} from "#shared/domain/mirrors/registries-conf/registries-conf.ts";
import { type Oracle, startOracle } from "../../bench/peers/go-program.ts";
import { mirrorInput } from "../../bench/support/configuration.ts";
import { agreeingConfigurations } from "../../bench/support/random-configurations.ts";

/*
 * containers/image, which CRI-O and podman are built with, decides where an image is pulled from; the peer calls that
 * library. Whole configurations cover what hubrelay renders, loose entries what it never renders but finds in a base
 * file.
 */

type Place = Readonly<{ reference: string; insecure: boolean; blocked: boolean }>;
type Resolved = Readonly<{ prefix: string; places: readonly Place[] }> | "fails";

const digest = `@sha256:${"0123456789abcdef".repeat(4)}`;
const repositories = fc
  .tuple(
    fc.constantFrom("a.io", "x.a.io", "y.x.a.io", "a.io:5000", "x.a.io:5000", "b.lan", "localhost", "m1.lan"),
    fc.array(fc.constantFrom("ns", "app", "a-b", "c__d", "e.f"), { minLength: 1, maxLength: 4 }),
  )
  .map(([host, path]) => [host, ...path].join("/"));
const references = fc.array(
  fc.tuple(repositories, fc.constantFrom(":v1", digest)).map(([repository, suffix]) => repository + suffix),
  { minLength: 1, maxLength: 6 },
);

const scope = fc.constantFrom(
  "a.io",
  "a.io/ns",
  "x.a.io",
  "x.a.io/ns/app",
  "a.io:5000",
  "b.lan",
  "m1.lan",
  "m1.lan/c",
);
const looseEntry: fc.Arbitrary<RegistryEntry> = fc
  .record({
    prefix: fc.oneof(
      { weight: 3, arbitrary: fc.constant("") },
      scope,
      fc.constantFrom("*.io", "*.a.io", "*.lan"),
    ),
    location: scope,
    insecure: fc.boolean(),
    blocked: fc.boolean(),
    mirrorByDigestOnly: fc.constantFrom(false, false, true),
    mirrors: fc.array(
      fc.record({
        location: fc.constantFrom("m1.lan", "m1.lan/c", "m2.lan:5000", "x.a.io/ns", "z", "Foo/c"),
        insecure: fc.boolean(),
        pullFromMirror: fc.constantFrom("", "all", "digest-only", "tag-only"),
      }),
      { maxLength: 4 },
    ),
  })
  .map((entry) => {
    if (!entry.mirrorByDigestOnly) return entry;
    return { ...entry, mirrors: entry.mirrors.map((mirror) => ({ ...mirror, pullFromMirror: "" })) };
  });
const looseEntries = fc
  .array(looseEntry, { maxLength: 6 })
  .map((entries) => encodeRegistriesConf({ entries, shortNameMode: "", additionalLayerStoreAuthHelper: "" }));
const rendered = agreeingConfigurations().map(
  (configuration) => configureMirrors(mirrorInput(configuration)).registriesConf,
);

describe("pull sources against containers/image", () => {
  let peer: Oracle;
  beforeAll(async () => {
    peer = await startOracle("runtime");
  }, 300_000);
  afterAll(() => peer[Symbol.asyncDispose]());

  test.for([
    { name: "hubrelay rendered the file", files: rendered, runs: 1_500 },
    { name: "the entries are of any kind", files: looseEntries, runs: 1_500 },
  ])("When $name, it should try the same places in the same order", async ({ files, runs }) => {
    const seen = { refusedFile: 0, noEntry: 0, mirrors: 0, blocked: 0, fails: 0 };
    await fc.assert(
      fc.asyncProperty(files, references, async (conf, asked) => {
        const expected = await askPeer(peer, conf, asked);
        // Aliases can make the library refuse a file too, and are unrelated to the entries.
        if (!conf.includes("[aliases]"))
          expect(loadFailure({ entries: entriesOf(conf) }) !== undefined, conf).toBe(expected === "refused");
        if (expected === "refused") {
          seen.refusedFile++;
          return;
        }
        for (const [index, reference] of asked.entries()) {
          const peers = expected[index];
          if (peers === undefined) throw new Error("the peer returned too few results");
          count(seen, peers);
          expect(resolvedBy(conf, reference), `${reference}\n${conf}`).toEqual(peers);
        }
      }),
      { seed: 20260811, numRuns: runs },
    );
    // What never comes up is not compared; a refused file compares nothing.
    expect(seen.refusedFile).toBeLessThan(runs / 2);
    for (const times of [seen.noEntry, seen.mirrors, seen.blocked, seen.fails])
      expect(times).toBeGreaterThan(10);
  });
});

function count(seen: Record<"noEntry" | "mirrors" | "blocked" | "fails", number>, resolved: Resolved): void {
  if (resolved === "fails") seen.fails++;
  else if (resolved.prefix === "") seen.noEntry++;
  else {
    if (resolved.places.length > 1) seen.mirrors++;
    if (resolved.places.some(({ blocked }) => blocked)) seen.blocked++;
  }
}

/** The peer's result for each reference, or that it refuses the whole file. */
async function askPeer(
  peer: Oracle,
  conf: string,
  references: readonly string[],
): Promise<readonly Resolved[] | "refused"> {
  const response = await peer.ask({ conf, references });
  if (!isRecord(response) || !Array.isArray(response.resolved)) return "refused";
  return response.resolved.map((resolved: unknown): Resolved => {
    if (!isRecord(resolved) || typeof resolved.prefix !== "string" || !Array.isArray(resolved.places))
      throw new Error("the peer's response has another form");
    return resolved.error ? "fails" : { prefix: resolved.prefix, places: resolved.places };
  });
}

function parse(reference: string): ImageReference {
  const parsed = tryParseImageReference(reference);
  if (!parsed) throw new Error(`${reference} is not a reference`);
  return parsed;
}

function entriesOf(conf: string): readonly RegistryEntry[] {
  const parsed = tryParseRegistriesConf(conf);
  if ("problem" in parsed) throw new Error(parsed.problem);
  return parsed.conf.entries;
}

function resolvedBy(conf: string, reference: string): Resolved {
  const { entry, candidates } = resolve(entriesOf(conf), parse(reference));
  if (candidates.some(({ reason }) => reason === "not-a-reference")) return "fails";
  const places = candidates
    .filter(({ taken, reason }) => taken || reason === "blocked")
    .map(({ reference, insecure, reason }: Candidate) => ({
      reference,
      insecure,
      blocked: reason === "blocked",
    }));
  return { prefix: entry ? scopeOf(entry) : "", places };
}
