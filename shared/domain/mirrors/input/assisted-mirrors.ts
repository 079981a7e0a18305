import { fieldsOf, listOf, textOf } from "../../kubernetes/json/values.ts";
import { kinds } from "../../kubernetes/object.ts";
import type { MadeMirrorSet, RegistriesConfReader } from "../../manifests/located-object.ts";
import { parseToml, TomlError } from "../registries-conf/base-file.ts";

const header = /^\s*\[\[\s*registry\s*\]\]/;

/** Returns the lines of the `[[registry]]` headers, from 1; empty if the registries are a list on one line. */
const linesOfRegistries = (text: string): readonly number[] =>
  text.split("\n").flatMap((line, index) => (header.test(line) ? [index + 1] : []));

/** Returns the pulls that a mirror serves, by default `digest-only`; an unknown text matches no item of `sets`. */
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
 * Returns the mirror sets that a cluster gets from this text. The `location` of a registry is the source; its mirrors
 * serve pulls by digest, or by tag with `tag-only`. Returns problem and line for a text that is not TOML. Source:
 * assisted-service main, pkg/mirrorregistries/cluster_image_registry.go:36.
 */
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
};
