import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  decodeOverrides,
  encodeOverrides,
} from "#shared/domain/hosted-clusters/overrides/environment-text.ts";
import { applyPair } from "#shared/domain/hosted-clusters/overrides/hypershift-rules.ts";
import {
  decodeReplacements,
  replaceRegistry,
} from "#shared/domain/hosted-clusters/overrides/registry-replacements.ts";
import { parseDockerReference, referenceText } from "#shared/domain/images/docker-reference.ts";
import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import { printable } from "#shared/domain/text/redact.ts";
import { type Oracle, startOracle } from "../../bench/peers/go-program.ts";

/*
 * HyperShift's own code computes references, replaced registries and the flag's text; its three matching rules and the
 * two encodings are reimplemented in the peer, on top of HyperShift's own references.
 */

const digest = `sha256:${"d".repeat(64)}`;
const host = fc.constantFrom(..."a.io b.io a.io:5000 localhost docker.io A.io -a.io *.io a_b".split(" "));
const part = fc.constantFrom("ns", "app", "a.b", "a__b", "a--b", "NS", "a..b", "", "io");
const suffix = fc.constantFrom("", ":1", ":v1.2-x", `@${digest}`, `:1@${digest}`, ":", "@sha256:1", ":1:2");
/** References that are nearly right, or right. */
const reference = fc
  .tuple(fc.option(host, { nil: undefined }), fc.array(part, { maxLength: 3 }), suffix)
  .map(([first, parts, last]) => [...(first === undefined ? [] : [first]), ...parts].join("/") + last);
const odd = fc.oneof(
  fc.stringMatching(/^[aA0._:/@*-]{0,12}$/),
  fc
    .constantFrom("md5", "sha256", "sha384", "sha512", "SHA256")
    .chain((algorithm) =>
      fc
        .constantFrom(31, 32, 63, 64, 96, 128)
        .map((length) => `a.io/b@${algorithm}:${"aF".repeat(64).slice(0, length)}`),
    ),
  fc.integer({ min: 240, max: 260 }).map((length) => `a.io/${"b".repeat(length)}`),
  // The characters that %q leaves unescaped depend on the version of Unicode, so only ASCII is used.
  fc.string({ unit: "binary-ascii", maxLength: 6 }),
);
const text = fc.oneof({ arbitrary: reference, weight: 3 }, { arbitrary: odd, weight: 1 });
const location = fc
  .tuple(
    fc.constantFrom("a.io", "b.io", "a.io:5000", "docker.io"),
    fc.array(fc.constantFrom("ns", "app"), { maxLength: 3 }),
  )
  .map(([first, parts]) => [first, ...parts].join("/"));
const image = fc
  .tuple(location, fc.constantFrom(":1", `@${digest}`, `:1@${digest}`, ""))
  .map((parts) => parts.join(""));
const flagText = fc.stringMatching(/^[ab=,é ]{0,14}$/);
const name = fc.stringMatching(/^[ab.=,/ ]{0,4}$/);

describe("registry overrides against HyperShift's own code", () => {
  let peer: Oracle;
  beforeAll(async () => {
    peer = await startOracle("hosted");
  }, 300_000);
  afterAll(() => peer[Symbol.asyncDispose]());

  /** Sends many random requests; `ours` and the peer's response must be equal. */
  async function compare<Question extends object>(
    questions: fc.Arbitrary<Question>,
    op: string,
    ours: (question: Question) => object,
    runs = 3_000,
  ): Promise<Readonly<Record<"results" | "errors", number>>> {
    const seen = { results: 0, errors: 0 };
    await fc.assert(
      fc.asyncProperty(questions, async (question) => {
        const response = fieldsOf(await peer.ask({ op, ...question }));
        // What looks like a login (`//a@`) is in no message of hubrelay.
        const { error } = response;
        const expected = typeof error === "string" ? { ...response, error: printable(error) } : response;
        const found = ours(question);
        seen["error" in found ? "errors" : "results"]++;
        expect(expected).toMatchObject(found);
        if (!("error" in found)) expect(expected).not.toHaveProperty("error");
      }),
      { seed: 20260822, numRuns: runs },
    );
    return seen;
  }

  test("When a reference is parsed, it should give the same text or the same error", async () => {
    const seen = await compare(fc.record({ image: text }), "parse", ({ image }) => {
      const parsed = parseDockerReference(image);
      return "error" in parsed ? parsed : { text: referenceText(parsed.reference) };
    });
    expect(Math.min(seen.results, seen.errors)).toBeGreaterThan(500);
  });

  test("When a pair applies to a reference, both should give the same result, or skip it", async () => {
    const matched = { yes: 0, no: 0 };
    const questions = fc.record({
      image,
      source: fc.oneof({ arbitrary: location, weight: 4 }, { arbitrary: text, weight: 1 }),
      mirror: fc.oneof({ arbitrary: location, weight: 4 }, { arbitrary: text, weight: 1 }),
    });
    const seen = await compare(
      questions,
      "pair",
      ({ image, source, mirror }) => {
        const parsed = parseDockerReference(image);
        if ("error" in parsed) return parsed;
        const verdict = applyPair(parsed.reference, source, mirror);
        if (verdict.state === "error") return { error: verdict.message };
        const matches = verdict.state === "match";
        matched[matches ? "yes" : "no"]++;
        return matches ? { matches, text: verdict.reference } : { matches };
      },
      10_000,
    );
    expect(Math.min(seen.errors, matched.yes, matched.no)).toBeGreaterThan(100);
  });

  test("When registries are replaced, it should give the same name", async () => {
    const replacements = fc.dictionary(fc.oneof(location, fc.constantFrom("", "a.io/", "a")), location, {
      maxKeys: 4,
    });
    await compare(fc.record({ image: text, replacements }), "replace", (question) => ({
      text: replaceRegistry(question.image, new Map(Object.entries(question.replacements))),
    }));
  });

  test("When the flag's text is read, it should give the same map, or refuse it", async () => {
    const seen = await compare(
      fc.record({ text: flagText }),
      "decode flag",
      (question) => {
        const decoded = decodeReplacements(question.text);
        return decoded
          ? { replacements: Object.fromEntries(decoded) }
          : { error: expect.stringContaining("must be formatted as key=value") };
      },
      6_000,
    );
    expect(Math.min(seen.results, seen.errors)).toBeGreaterThan(500);
  });

  test("When overrides are written, it should give the same text", async () => {
    const overrides = fc.dictionary(name, fc.array(name, { maxLength: 3 }), { maxKeys: 4 });
    await compare(fc.record({ overrides }), "encode", (question) => ({
      text: encodeOverrides(new Map(Object.entries(question.overrides))),
    }));
  });

  test("When their text is read, it should give the same map or none", async () => {
    await compare(
      fc.record({ text: fc.oneof(name, fc.stringMatching(/^[ab=,]{0,14}$/)) }),
      "decode",
      (question) => {
        const decoded = decodeOverrides(question.text);
        return { overrides: decoded ? Object.fromEntries(decoded) : null };
      },
    );
  });
});
