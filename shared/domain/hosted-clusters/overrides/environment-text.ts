import { byCodePoint } from "../../kubernetes/json/values.ts";

/**
 * The mirrors of each source in the order of trying, at least one. Sources are registries, namespaces, repositories
 * or wildcards, sorted by their code units.
 */
export type RegistryOverrides = ReadonlyMap<string, readonly string[]>;

/** What HyperShift writes for no overrides. */
const nothing = "=";

/**
 * Renders the text of `OPENSHIFT_IMG_OVERRIDES`: `source=mirror` for every pair, sources sorted, mirrors in the
 * order of trying. Empty without overrides.
 */
export function encodeOverrides(overrides: RegistryOverrides): string {
  return [...overrides]
    .sort(([a], [b]) => byCodePoint(a, b))
    .flatMap(([source, mirrors]) => mirrors.map((mirror) => `${source}=${mirror}`))
    .join(",");
}

/** Renders the text as HyperShift writes it: the mirrors of a source sorted too, and `=` for no overrides. */
export function encodeOverridesLikeHypershift(overrides: RegistryOverrides): string {
  const sorted = [...overrides].map(([source, mirrors]) => [source, [...mirrors].sort(byCodePoint)] as const);
  return encodeOverrides(new Map(sorted)) || nothing;
}

/**
 * Reads the text of `OPENSHIFT_IMG_OVERRIDES`, or of the annotation with the same format. Nothing is an error to
 * HyperShift: a pair without `=`, source or mirror is skipped, and blanks belong to the names. Undefined for an
 * empty text and for `=`. Behaviour: ConvertImageRegistryOverrideStringToMap in support/util/util.go.
 */
export function decodeOverrides(text: string): RegistryOverrides | undefined {
  if (text === "" || text === nothing) return undefined;
  const overrides = new Map<string, string[]>();
  for (const pair of text.split(",")) {
    const equals = pair.indexOf("=");
    const source = pair.slice(0, Math.max(equals, 0));
    const mirror = pair.slice(equals + 1);
    if (source === "" || mirror === "") continue;
    overrides.set(source, [...(overrides.get(source) ?? []), mirror]);
  }
  return overrides;
}
