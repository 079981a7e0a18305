import { byCodePoint } from "../../kubernetes/json/values.ts";

/** The mirrors of each registry, namespace, repository or wildcard, in the order in which HyperShift tries them. */
export type RegistryOverrides = ReadonlyMap<string, readonly string[]>;

/** HyperShift's text for an empty map. */
const nothing = "=";

/** Renders `OPENSHIFT_IMG_OVERRIDES` as HyperShift does: sorted pairs `source=mirror,…`; `=` for an empty map. */
export function encodeOverrides(overrides: RegistryOverrides): string {
  const pairs = [...overrides]
    .sort(([a], [b]) => byCodePoint(a, b))
    .flatMap(([source, mirrors]) => mirrors.toSorted(byCodePoint).map((mirror) => `${source}=${mirror}`));
  return pairs.join(",") || nothing;
}

/**
 * Reads the pairs `source=mirror,…` and skips malformed ones. Returns undefined for an empty text and for `=`.
 * Behaviour: ConvertImageRegistryOverrideStringToMap in support/util/util.go.
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
