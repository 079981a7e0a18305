import { type Overriding, replacements } from "#shared/domain/mirrors/effective/overridden-objects.ts";
import type { SourceExplanation } from "#shared/domain/mirrors/explain/explain-source.ts";
import { scopeOf } from "#shared/domain/mirrors/registries-conf/registry-entry.ts";

/** A file of nodes that a MachineConfig of people writes. */
export type NodeFileOrigin = Readonly<{ machineConfig: string; path: string }>;

/** A source with its mirrors by the rules, and the file that nodes use instead of them. */
export type NodeSource = SourceExplanation & Readonly<{ replacedBy: NodeFileOrigin | undefined }>;

/** An entry that nodes have from such a file. */
export type NodeEntry = NodeFileOrigin &
  Readonly<{ scope: string; mirrors: readonly string[]; blocked: boolean }>;

type File = Overriding["files"][number];
const originOf = ({ path, writtenBy = "" }: File): NodeFileOrigin => ({ machineConfig: writtenBy, path });

/** Returns the sources with what nodes use instead of them. */
export function withReplacements(
  sources: readonly SourceExplanation[],
  overriding: Overriding | undefined,
): readonly NodeSource[] {
  const replacementOf = overriding && replacements(overriding);
  return sources.map((source) => {
    const found = replacementOf?.(source.scope);
    return { ...source, replacedBy: found && originOf(found.file) };
  });
}

/** Returns the entries that MachineConfigs of people write. */
export function entriesOf(overriding: Overriding | undefined): readonly NodeEntry[] {
  if (!overriding) return [];
  const { entries, fileOf } = overriding.registries;
  return entries.map((entry) => ({
    ...originOf(fileOf(entry)),
    scope: scopeOf(entry),
    mirrors: entry.mirrors.map(({ location }) => location),
    blocked: entry.blocked,
  }));
}
