/** A package of a catalog, and the channel whose head is needed: the default one if undefined. */
export type SelectedPackage = Readonly<{ name: string; channel?: string; defaultChannel?: string }>;

/** What is needed of a catalog. Without packages every package. */
export type CatalogSelection = Readonly<{ index: string; packages: readonly SelectedPackage[] }>;

/** Reads `INDEX` or `INDEX=package:channel,package`; undefined where a part is empty. */
export function parseCatalogSelection(text: string): CatalogSelection | undefined {
  const equals = text.indexOf("=");
  if (equals < 0) return text === "" ? undefined : { index: text, packages: [] };
  const packages = text
    .slice(equals + 1)
    .split(",")
    .map((entry) => entry.split(":").map((part) => part.trim()));
  if (equals === 0 || packages.some((parts) => parts.length > 2 || parts.includes(""))) return undefined;
  return {
    index: text.slice(0, equals),
    packages: packages.map(([name = "", channel]) => ({
      name,
      ...(channel === undefined ? {} : { channel }),
    })),
  };
}
