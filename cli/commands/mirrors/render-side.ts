import { mirrorKinds } from "#functions/mirror-config/watches.ts";
import type { Side } from "#shared/domain/diff/compare-sides.ts";
import { fieldIssue, type Issue } from "#shared/domain/issues/issue.ts";
import { isSameJson } from "#shared/domain/json/same-json.ts";
import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  isMachineConfigName,
  machineConfigName,
  readMachineConfigFiles,
} from "#shared/domain/machine-config/machine-config.ts";
import type { NodeFile } from "#shared/domain/machine-config/node-file.ts";
import { assumedRelease } from "#shared/domain/mirrors/assumed-release.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { mirrorInputOf, previousOf } from "#shared/domain/mirrors/mirror-input.ts";
import { rejectedByOperator } from "#shared/domain/mirrors/rejected-by-operator.ts";
import type { GivenSide } from "./diff-side.ts";
import { type ReleaseOptions, releaseInput } from "./release-input.ts";

/** A rendered side and its issues; no side if it cannot be rendered. */
export type RenderedSide = Readonly<{ side: Side | undefined; issues: readonly Issue[] }>;

export type RenderSideOptions = Readonly<{
  compat?: "mco";
  /** The files in effect: what is left out keeps what they block. */
  previous?: readonly NodeFile[];
  /** The release whose images nodes must be able to pull. */
  release: ReleaseOptions;
}>;

/** Kinds that are rendered; others are not part of the configuration. */
const configurationKinds = [...mirrorKinds, kinds.Image];

function isGenerated({ kind, metadata }: KubernetesObject): boolean {
  return kind === kinds.MachineConfig.kind && isMachineConfigName(metadata.name);
}

/** Reads the files of generated MachineConfigs. A pool without its own uses the worker's. */
function fromMachineConfigs(objects: readonly KubernetesObject[]): Side {
  const byName = new Map(objects.filter(isGenerated).map((object) => [object.metadata.name, object]));
  const filesOf: Side["filesOf"] = (pool) => {
    const found = byName.get(machineConfigName(pool)) ?? byName.get(machineConfigName("worker"));
    return found ? readMachineConfigFiles(found) : [];
  };
  return { filesOf, paths: undefined, objects };
}

/**
 * Renders a side. Throws `UsageError` for an unusable release. Manifests with only generated MachineConfigs are not
 * rendered again: their files are used as they are.
 */
export async function renderSide(
  given: GivenSide,
  { compat, previous, release }: RenderSideOptions,
): Promise<RenderedSide> {
  if ("files" in given) {
    const { files, paths } = given;
    return { side: { filesOf: () => files, paths, objects: [] }, issues: [] };
  }
  const { objects, issues } = given;
  const isConfiguration = objects.some((object) => configurationKinds.some((kind) => isKind(kind, object)));
  if (!isConfiguration && objects.some(isGenerated)) return { side: fromMachineConfigs(objects), issues };

  const mirrors = mirrorInputOf(objects);
  const input = {
    ...mirrors,
    ...(await releaseInput(release, mirrors)),
    ...(previous === undefined ? {} : { previous: previousOf(previous) }),
  };
  const { refused, files, releases, issues: found } = configureMirrors(input, compat ? { compat } : {});
  const side = refused ? undefined : { filesOf: () => files, paths: undefined, objects };
  const ofOperator = compat ? assumedRelease(releases) : rejectedByOperator(input);
  return { side, issues: [...issues, ...found, ...ofOperator] };
}

/** Returns a warning for each other MachineConfig that differs: its cost is not part of the result. */
export function otherMachineConfigs(before: Side, after: Side): readonly Issue[] {
  const othersOf = ({ objects }: Side) =>
    new Map(
      objects
        .filter((object) => isKind(kinds.MachineConfig, object) && !isGenerated(object))
        .map((object) => [object.metadata.name, object]),
    );
  const old = othersOf(before);
  const now = othersOf(after);
  if (old.size === 0 || now.size === 0) return [];
  const differing = [...new Map([...old, ...now])].filter(
    ([name]) => !isSameJson(old.get(name)?.spec, now.get(name)?.spec),
  );
  return differing.map(([, object]) =>
    fieldIssue(object, "spec", undefined, {
      code: "OtherMachineConfig",
      severity: "warning",
      message: "This MachineConfig differs too, and its cost for a node is not part of the result.",
      remedy: "Add its cost; most changes of a MachineConfig reboot.",
    }),
  );
}
