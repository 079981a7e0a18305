/**
 * The mirrors of each source, the first to try first. Sources are registries, namespaces, repositories or
 * wildcards, in the order of their code units; none is without mirrors.
 */
export type RegistryOverrides = ReadonlyMap<string, readonly string[]>;
