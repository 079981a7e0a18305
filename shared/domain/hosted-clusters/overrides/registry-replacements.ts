/** The value of HyperShift's flag `--registry-overrides`: one replacement for each source. */
export type RegistryReplacements = ReadonlyMap<string, string>;

/**
 * Reads the value of `--registry-overrides`; undefined if HyperShift refuses it, or if it has quotes or line breaks.
 * Behaviour: StringToString of github.com/spf13/pflag.
 */
export function decodeReplacements(text: string): RegistryReplacements | undefined {
  const pairs = text.split("=").length === 2 ? [text] : text.split(",");
  if (/["\r\n]/.test(text) || pairs.some((pair) => !pair.includes("="))) return undefined;
  return new Map(
    pairs.map((pair) => {
      const equals = pair.indexOf("=");
      return [pair.slice(0, equals), pair.slice(equals + 1)];
    }),
  );
}

/** Reports whether an image belongs to a source. `a.io:5000/b` does not belong to `a.io`. */
function startsWithSource(image: string, source: string): boolean {
  if (!image.startsWith(source)) return false;
  const next = image.charAt(source.length);
  return next === "" || next === "/" || next === "@" || (next === ":" && source.includes("/"));
}

/** Replaces the longest matching source in an image name. Behaviour: Replace in support/util/registryoverride. */
export function replaceRegistry(image: string, replacements: RegistryReplacements): string {
  let longest = "";
  for (const source of replacements.keys())
    if (source.length > longest.length && startsWithSource(image, source)) longest = source;
  return longest === "" ? image : (replacements.get(longest) ?? "") + image.slice(longest.length);
}
