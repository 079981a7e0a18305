import { fieldsOf, listOf, textOf } from "../../kubernetes/json/values.ts";
import { kinds } from "../../kubernetes/object.ts";
import type { MadeMirrorSet, RegistriesConfReader } from "../../manifests/located-object.ts";
import { parseToml, TomlError } from "../registries-conf/base-file.ts";

const header = /^\s*\[\[\s*registry\s*\]\]/;

const linesOfRegistries = (text: string): readonly number[] =>
  text.split("\n").flatMap((line, index) => (header.test(line) ? [index + 1] : []));

/**
 * Without a setting, assisted-service uses a mirror for digests only. Mirrors with other values are in no mirror set.
 */
const pullsOf = (mirror: unknown): string => textOf(fieldsOf(mirror)["pull-from-mirror"]) ?? "digest-only";

const sets = [
  {
    kind: kinds.ImageDigestMirrorSet,
    rules: "imageDigestMirrors",
    metadata: { name: "image-digest-mirror" },
    pulls: "digest-only",
  },
  {
    kind: kinds.ImageTagMirrorSet,
    rules: "imageTagMirrors",
    metadata: { name: "image-tag-mirror" },
    pulls: "tag-only",
  },
] as const;

/** Converts a registries.conf to mirror sets as assisted-service does (main, pkg/mirrorregistries/parser.go:25). */
export const mirrorSetsOf: RegistriesConfReader = (text) => {
  let registries: readonly unknown[];
  try {
    registries = listOf(parseToml(text).registry);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { problem: error.message, line: error.line };
  }
  const lines = linesOfRegistries(text);
  return {
    sets: sets.flatMap(({ kind: { apiVersion, kind }, rules, metadata, pulls }): readonly MadeMirrorSet[] => {
      const made = registries.flatMap((registry, index) => {
        const { location, mirror } = fieldsOf(registry);
        const name = `[${index}]`;
        const serving = listOf(mirror).flatMap((one, at) => {
          const found = pullsOf(one) === pulls ? textOf(fieldsOf(one).location) : undefined;
          return found === undefined ? [] : [{ found, at: `${name}.mirror[${at}].location` }];
        });
        if (serving.length === 0 || typeof location !== "string") return [];
        const mirrors = serving.map(({ found }) => found);
        const table = { line: lines[index] ?? 1, name, mirrors: serving.map(({ at }) => at) };
        return [{ rule: { source: location, mirrors }, table }];
      });
      if (made.length === 0) return [];
      const spec = { [rules]: made.map(({ rule }) => rule) };
      const value = { apiVersion, kind, metadata, spec };
      return [{ value, rules, tables: made.map(({ table }) => table) }];
    }),
  };
};
