/**
 * The mirrors of each source in the order of trying, at least one. Sources are registries, namespaces, repositories
 * or wildcards, sorted by their code units.
 */
export type RegistryOverrides = ReadonlyMap<string, readonly string[]>;
