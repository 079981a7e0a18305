import { parse } from "@iarna/toml";
import { isTooDeep, maxNesting } from "../kubernetes/json/nesting.ts";
import { fieldsOf, listOf, textOf, type UnknownRecord } from "../kubernetes/json/values.ts";
import { kinds } from "../kubernetes/object.ts";
import { firstLineOf } from "../text/error-text.ts";

/** A text that is not TOML; `line` counts from 1. */
export class TomlError extends Error {
  override readonly name = "TomlError";
  readonly line: number;

  constructor(message: string, line = 1) {
    super(message);
    this.line = line;
  }
}

/** Parses TOML. Throws a `TomlError` whose message quotes nothing of the text, which may hold a credential. */
export function parseToml(text: string): UnknownRecord {
  if (isTooDeep(text)) throw new TomlError(`The TOML is nested more than ${maxNesting} levels deep`);
  try {
    return parse(text);
  } catch (error) {
    const { line } = fieldsOf(error);
    // The lines after the first quote the text around the error.
    throw new TomlError(firstLineOf(error).replace(/:$/, ""), typeof line === "number" ? line + 1 : 1);
  }
}

/** A mirror set made from such a text, the field that holds its rules, and the line of each rule in the text. */
type MadeMirrorSet = Readonly<{ value: unknown; rules: string; lines: readonly number[] }>;

const header = /^\s*\[\[\s*registry\s*\]\]/;

/** Lines from 1; a list on one line has none. */
const linesOfRegistries = (text: string): readonly number[] =>
  text.split("\n").flatMap((line, index) => (header.test(line) ? [index + 1] : []));

/** A mirror with any other text serves no pulls. */
const pullsOf = (mirror: unknown): string => textOf(fieldsOf(mirror)["pull-from-mirror"]) ?? "digest-only";

const sets = [
  {
    kind: kinds.ImageDigestMirrorSet,
    rules: "imageDigestMirrors",
    name: "image-digest-mirror",
    pulls: "digest-only",
  },
  { kind: kinds.ImageTagMirrorSet, rules: "imageTagMirrors", name: "image-tag-mirror", pulls: "tag-only" },
] as const;

/**
 * Returns the mirror sets that a cluster gets from this text: a registry's `location` is the source, and its mirrors serve
 * pulls by digest, those with `tag-only` pulls by tag. For a text that is not TOML, its problem and line. Source:
 * assisted-service main, pkg/mirrorregistries/cluster_image_registry.go:36.
 */
export function mirrorSetsOf(
  text: string,
): Readonly<{ sets: readonly MadeMirrorSet[] } | { problem: string; line: number }> {
  let registries: readonly unknown[];
  try {
    registries = listOf(parseToml(text).registry);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { problem: error.message, line: error.line };
  }
  const lines = linesOfRegistries(text);
  return {
    sets: sets.flatMap(({ kind: { apiVersion, kind }, rules, name, pulls }): readonly MadeMirrorSet[] => {
      const made = registries.flatMap((registry, index) => {
        const { location, mirror } = fieldsOf(registry);
        const mirrors = listOf(mirror)
          .filter((one) => pullsOf(one) === pulls)
          .flatMap((one) => textOf(fieldsOf(one).location) ?? []);
        if (mirrors.length === 0 || typeof location !== "string") return [];
        return [{ rule: { source: location, mirrors }, line: lines[index] ?? 1 }];
      });
      if (made.length === 0) return [];
      const spec = { [rules]: made.map(({ rule }) => rule) };
      return [
        { value: { apiVersion, kind, metadata: { name }, spec }, rules, lines: made.map(({ line }) => line) },
      ];
    }),
  };
}
