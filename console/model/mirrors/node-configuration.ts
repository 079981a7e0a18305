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
import { imageExplainer } from "#shared/domain/mirrors/explain/explain-image.ts";
import type { SourceExplanation } from "#shared/domain/mirrors/explain/explain-source.ts";
import { candidateText } from "#shared/domain/mirrors/explain/explain-texts.ts";
import { scopeOf } from "#shared/domain/mirrors/registries-conf/registries-conf.ts";
import {
  machineConfigName,
  readMachineConfigFiles,
} from "#shared/domain/openshift/machine-config/machine-config.ts";
import type { NodeFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import type { Snapshot } from "../snapshot.ts";

/** The kinds that decide what is rendered for nodes. */
export const nodeKinds = [...mirrorKinds, kinds.Image, kinds.ClusterVersion, kinds.MachineConfig];

/** What is rendered for nodes from the rules on the hub. */
export type NodeConfiguration = Readonly<{
  input: MirrorInput;
  configuration: MirrorConfiguration;
  /** Who writes the rendered files. */
  renderedBy: "hubrelay" | "machine-config-operator";
  /** The files of the pool's MachineConfig as it is now. */
  filesBefore: readonly NodeFile[];
}>;

/**
 * Returns what is rendered for nodes, as the program renders it that writes it; when that is refused, what the valid rules
 * alone would give.
 */
export function nodeConfiguration({ list }: Snapshot, pool: string | undefined): NodeConfiguration {
  const machineConfigs = list(kinds.MachineConfig);
  const own = pool === undefined ? undefined : machineConfigName(pool);
  const machineConfig = machineConfigs.find(({ metadata }) => metadata.name === own);
  const filesBefore = machineConfig ? readMachineConfigFiles(machineConfig) : [];
  const input = mirrorInputOf(nodeKinds.flatMap(list));
  const renderedBy = writerOf([...machineConfigs, ...list(kinds.MachineConfigPool)]);
  const configuration = shownConfiguration(configureMirrors(input, { writer: renderedBy }));
  return { input, configuration, renderedBy, filesBefore };
}

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

/** A location of a rule, in which nodes look; `skipped` says why they do not. */
export type Place = Readonly<{ location: string; isMirror: boolean; skipped: string | undefined }>;

/** Returns where nodes look for an image, in this order. */
export type PlacesOf = (image: string) => readonly Place[];

/** Returns where nodes with these files look for images. */
export function placesByFiles(files: readonly NodeFile[]): PlacesOf {
  const explain = imageExplainer(files);
  return (image) => {
    const explained = explain(image);
    if ("problem" in explained) return [];
    return explained.names.flatMap(({ candidates }) =>
      candidates.map((candidate) => ({
        location: candidate.location,
        isMirror: !candidate.isSource,
        skipped: candidate.taken ? undefined : candidateText(candidate),
      })),
    );
  };
}
