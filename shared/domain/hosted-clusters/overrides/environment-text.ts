import { byCodePoint } from "../../kubernetes/json/values.ts";

/**
 * The mirrors of each source in the order in which HyperShift tries them. A source is a registry, namespace, repository
 * or wildcard. Sources are sorted by code unit.
 */
export type RegistryOverrides = ReadonlyMap<string, readonly string[]>;

/** HyperShift's text for an empty map. */
const nothing = "=";

/**
 * Renders the value of `OPENSHIFT_IMG_OVERRIDES` as HyperShift does: `source=mirror` for every pair, sorted; `=` for an
 * empty map.
 */
export function encodeOverrides(overrides: RegistryOverrides): string {
  const pairs = [...overrides]
    .sort(([a], [b]) => byCodePoint(a, b))
    .flatMap(([source, mirrors]) => mirrors.toSorted(byCodePoint).map((mirror) => `${source}=${mirror}`));
  return pairs.join(",") || nothing;
}

/**
 * Reads the value of `OPENSHIFT_IMG_OVERRIDES` or of `catalogOverridesAnnotation`. Returns undefined for an empty text
 * and for `=`. As in HyperShift, malformed pairs are skipped, and blanks are part of the names. Behaviour:
 * ConvertImageRegistryOverrideStringToMap in support/util/util.go.
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
