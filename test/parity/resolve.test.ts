import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fieldsOf, listOf } from "#shared/domain/kubernetes/json/values.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { explainImage, type NameExplanation } from "#shared/domain/mirrors/explain/explain-image.ts";
import {
  encodeRegistriesConf,
  type RegistryEntry,
  scopeOf,
} from "#shared/domain/mirrors/registries-conf/registries-conf.ts";
import { nodePaths, textFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import { type Oracle, startOracle } from "../../bench/peers/go-program.ts";
import { mirrorInput } from "../../bench/support/configuration.ts";
import { agreeingConfigurations } from "../../bench/support/random-configurations.ts";

/*
 * containers/image, which CRI-O and podman are built with, decides where an image is pulled from and whether policy.json
 * accepts it; the peer calls that library. Whole configurations cover what hubrelay renders, loose entries what it never
 * renders but finds in a base file and in drop-ins.
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
const names = fc.array(
  fc
    .tuple(
      fc.oneof({ weight: 4, arbitrary: repositories }, fc.constantFrom("app", "ns/app", "docker.io/app")),
      fc.constantFrom(":v1", digest, "", `:v1${digest}`),
    )
    .map(([repository, suffix]) => repository + suffix),
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
const looseConf = fc
  .record(
    {
      entries: fc.array(looseEntry, { maxLength: 4 }),
      unqualifiedSearchRegistries: fc.subarray(["a.io", "b.lan", "m1.lan:5000"]),
      aliases: fc.dictionary(
        fc.constantFrom("app", "ns/app"),
        fc.constantFrom("b.lan/aliased", "a.io/ns/app", ""),
      ),
    },
    { requiredKeys: ["entries"] },
  )
  .map(({ aliases = {}, ...conf }) => {
    const text = encodeRegistriesConf({ ...conf, shortNameMode: "", additionalLayerStoreAuthHelper: "" });
    const lines = Object.entries(aliases).map(([name, value]) => `"${name}" = "${value}"\n`);
    return lines.length === 0 ? text : `${text}\n[aliases]\n${lines.join("")}`;
  });
const rendered = agreeingConfigurations().map(
  (configuration) => configureMirrors(mirrorInput(configuration)).registriesConf,
);
const nodes = (conf: fc.Arbitrary<string>, dropIn: fc.Arbitrary<string>) =>
  fc.record({
    conf,
    dropIns: fc.dictionary(fc.constantFrom("10-a.conf", "20-b.conf", "9-c.conf"), dropIn, { maxKeys: 2 }),
    enforcing: fc.boolean(),
    names,
    policy: fc
      .dictionary(
        fc.constantFrom("", "a.io", "a.io/ns", "x.a.io:5000", "*.a.io", "*.io", "b.lan", "localhost/app"),
        fc.constantFrom("reject", "insecureAcceptAnything"),
      )
      .map((scopes) => ({
        default: [{ type: "reject" }],
        transports: {
          docker: Object.fromEntries(Object.entries(scopes).map(([scope, type]) => [scope, [{ type }]])),
        },
      })),
  });
type Node = ReturnType<typeof nodes> extends fc.Arbitrary<infer Value> ? Value : never;

describe("nodes against containers/image", () => {
  let peer: Oracle;
  beforeAll(async () => {
    peer = await startOracle("runtime");
  }, 300_000);
  afterAll(() => peer[Symbol.asyncDispose]());

  test.for([
    { name: "hubrelay rendered the file", of: nodes(rendered, fc.constant("")), runs: 400, isLoose: false },
    { name: "the entries are of any kind", of: nodes(looseConf, looseConf), runs: 800, isLoose: true },
  ])(
    "When $name, it should try the same places in the same order, by the same policy",
    async ({ of, runs, isLoose }) => {
      const seen = { refused: 0, short: 0, mirrors: 0, blocked: 0, fails: 0, accepted: 0 };
      await fc.assert(
        fc.asyncProperty(of, async (node) => {
          const expected = await askPeer(peer, node);
          if (expected === "refused") seen.refused++;
          const found = node.names.map((name) => explained(node, name));
          expect(found, JSON.stringify(node)).toEqual(
            expected === "refused" ? node.names.map(() => "refused") : expected,
          );
          for (const one of found.flat())
            if (one !== "refused") {
              if (one.resolved === "fails") seen.fails++;
              else if (one.resolved.places.length > 1) seen.mirrors++;
              if (one.resolved !== "fails" && one.resolved.places.some(({ blocked }) => blocked))
                seen.blocked++;
              if (one.isAllowed) seen.accepted++;
            }
          if (found.some((one) => one.length > 1)) seen.short++;
        }),
        { seed: 20260811, numRuns: runs },
      );
      // What never comes up is not compared; a refused file compares nothing.
      expect(seen.refused).toBeLessThan(runs / 2);
      for (const times of [seen.mirrors, seen.blocked, seen.accepted]) expect(times).toBeGreaterThan(10);
      if (isLoose) for (const times of [seen.short, seen.fails]) expect(times).toBeGreaterThan(10);
    },
  );
});

/** What a node does with one full name. */
type Pull = Readonly<{ image: string; resolved: Resolved; isAllowed: boolean }>;

/** The peer's result for each name, with an item for each search registry; or that it refuses a file. */
async function askPeer(
  peer: Oracle,
  { policy, ...node }: Node,
): Promise<readonly (readonly Pull[])[] | "refused"> {
  const { named } = fieldsOf(await peer.ask(node));
  if (!Array.isArray(named)) return "refused";
  const all = named.map((some: unknown) => listOf(some).map(fieldsOf));
  const references = all.flat().map(({ reference }) => String(reference));
  const { allowed } = fieldsOf(await peer.ask({ policy: JSON.stringify(policy), references }));
  const verdicts = listOf(allowed).values();
  return all.map((some) =>
    some.map(({ reference, prefix, places, error }) => {
      if (typeof prefix !== "string" || !Array.isArray(places))
        throw new Error("the peer's response has another form");
      const resolved = error ? "fails" : { prefix, places };
      return { image: String(reference), resolved, isAllowed: verdicts.next().value === true };
    }),
  );
}

function resolvedBy({ entry, candidates }: NameExplanation): Resolved {
  if (candidates.some(({ reason }) => reason === "not-a-reference")) return "fails";
  const places = candidates
    .filter(({ taken, reason }) => taken || reason === "blocked")
    .map(({ reference, insecure, reason }) => ({ reference, insecure, blocked: reason === "blocked" }));
  return { prefix: entry ? scopeOf(entry) : "", places };
}

/** A name that cannot be resolved, or that CRI-O refuses, has no items. */
function explained({ conf, dropIns, policy, enforcing }: Node, name: string): readonly Pull[] | "refused" {
  const mode = enforcing ? "enforcing" : "disabled";
  const result = explainImage(name, [
    textFile(nodePaths.registriesConf, conf),
    ...Object.entries(dropIns).map(([file, text]) =>
      textFile(`/etc/containers/registries.conf.d/${file}`, text),
    ),
    textFile(nodePaths.policy, JSON.stringify(policy)),
    textFile("/etc/crio/crio.conf.d/99-mode", `[crio.image]\nshort_name_mode = "${mode}"\n`),
  ]);
  if ("problem" in result) return result.refused ? "refused" : [];
  if (result.shortNameRefusedBy) return [];
  return result.names.map((one) => ({
    image: one.image,
    resolved: resolvedBy(one),
    isAllowed: one.policy.verdict === "accept",
  }));
}
