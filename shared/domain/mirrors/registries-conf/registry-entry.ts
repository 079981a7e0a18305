/** One mirror of a registry entry: `[[registry.mirror]]`. */
export type RegistryMirror = Readonly<{
  location: string;
  /** TLS is not required. */
  insecure: boolean;
  /** `digest-only`, `tag-only`, or empty for both. */
  pullFromMirror: string;
}>;

/** One `[[registry]]` table of registries.conf. Mirrors are tried in order, the location itself last. */
export type RegistryEntry = Readonly<{
  /** Empty unless the scope is a wildcard (or the base file set one). */
  prefix: string;
  /** Empty for a wildcard. */
  location: string;
  insecure: boolean;
  blocked: boolean;
  /** Only ever set by the base file. */
  mirrorByDigestOnly: boolean;
  mirrors: readonly RegistryMirror[];
}>;

/** Returns the scope of an entry: references are matched with its prefix, or with its location without one. */
export function scopeOf({ prefix, location }: Pick<RegistryEntry, "prefix" | "location">): string {
  return prefix === "" ? location : prefix;
}
