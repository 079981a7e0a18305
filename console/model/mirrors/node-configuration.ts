import { writerOf } from "#functions/mirror-config/ownership.ts";
import { mirrorKinds } from "#functions/mirror-config/watches.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import {
  configureMirrors,
  type MirrorConfiguration,
  type MirrorInput,
  mirrorInputOf,
  shownConfiguration,
} from "#shared/domain/mirrors/configuration.ts";
import { type Overriding, replacements } from "#shared/domain/mirrors/effective/overridden-objects.ts";
import type { SourceExplanation } from "#shared/domain/mirrors/explain/explain-source.ts";
import type { Snapshot } from "../snapshot.ts";

/** Kinds on which the nodes' files depend. Infrastructure and FeatureGate decide the release's signature policy. */
export const nodeKinds = [
  ...mirrorKinds,
  ...[kinds.Image, kinds.ClusterVersion, kinds.MachineConfig, kinds.Infrastructure, kinds.FeatureGate],
];

/** The files that are rendered for nodes from the rules on the hub. */
export type NodeConfiguration = Readonly<{
  input: MirrorInput;
  configuration: MirrorConfiguration;
  renderedBy: "hubrelay" | "machine-config-operator";
}>;

/** Returns the files of nodes. If `renderedBy` refuses the rules, these are the files of the valid rules. */
export function nodeConfiguration({ list }: Snapshot): NodeConfiguration {
  const input = mirrorInputOf(nodeKinds.flatMap(list));
  const renderedBy = writerOf([...list(kinds.MachineConfig), ...list(kinds.MachineConfigPool)]);
  const configuration = shownConfiguration(configureMirrors(input, { writer: renderedBy }));
  return { input, configuration, renderedBy };
}

/** A file on nodes that comes from a user's MachineConfig. */
export type NodeFileOrigin = Readonly<{ machineConfig: string; path: string }>;

/** A source with its mirrors. `replacedBy` is a user's file that nodes use instead of the rules for this source. */
export type NodeSource = SourceExplanation & Readonly<{ replacedBy: NodeFileOrigin | undefined }>;

type File = Overriding["files"][number];
const originOf = ({ path, writtenBy = "" }: File): NodeFileOrigin => ({ machineConfig: writtenBy, path });

/** Returns the sources with `replacedBy`. */
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
