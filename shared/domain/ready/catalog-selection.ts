/** A package of a catalog. Clusters need the last version (head) of `channel` or, if absent, of the default channel. */
export type SelectedPackage = Readonly<{
  name: string;
  channel?: string;
  defaultChannel?: string;
  /** The name of a version that clusters need besides the head, if the catalog has it. */
  version?: string;
}>;

/** The packages of a catalog that clusters need; an empty list means all packages. */
export type CatalogSelection = Readonly<{ index: string; packages: readonly SelectedPackage[] }>;

/** Reads `INDEX` or `INDEX=package:channel:version,package:channel,package`; undefined if a part is empty. */
export function parseCatalogSelection(text: string): CatalogSelection | undefined {
  const equals = text.indexOf("=");
  if (equals < 0) return text === "" ? undefined : { index: text, packages: [] };
  const packages = text
    .slice(equals + 1)
    .split(",")
    .map((entry) => entry.split(":").map((part) => part.trim()));
  if (equals === 0 || packages.some((parts) => parts.length > 3 || parts.includes(""))) return undefined;
  return {
    index: text.slice(0, equals),
    packages: packages.map(([name = "", channel, version]) => ({
      name,
      ...(channel === undefined ? {} : { channel }),
      ...(version === undefined ? {} : { version }),
    })),
  };
}
