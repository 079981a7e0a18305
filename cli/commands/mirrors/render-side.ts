import { mirrorKinds } from "#functions/mirror-config/watches.ts";
import type { Side } from "#shared/domain/diff/compare-sides.ts";
import { type Issue, issueObject } from "#shared/domain/issues/issue.ts";
import { isSameJson } from "#shared/domain/json/same-json.ts";
import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { machineConfigName, readMachineConfigFiles } from "#shared/domain/machine-config/machine-config.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import type { GivenSide } from "./diff-side.ts";
import { mirrorInputOf } from "./mirror-input.ts";

/** A side and what is wrong with it; no side when nothing would be written from it. */
export type RenderedSide = Readonly<{ side: Side | undefined; issues: readonly Issue[] }>;

type RenderSideOptions = Readonly<{
  compat?: "mco";
  /** The registries.conf that was applied before, which keeps the mirrors of contradicting rules. */
  previous?: string;
}>;

/** Kinds that are rendered; others stand beside the configuration and say nothing about it. */
const configurationKinds = [...mirrorKinds, kinds.Image];

function isGenerated({ kind, metadata }: KubernetesObject): boolean {
  return kind === kinds.MachineConfig.kind && /^99-.+-generated-registries$/.test(metadata.name);
}

/** The files of generated MachineConfigs. A pool without one of its own takes the worker's. */
function fromMachineConfigs(objects: readonly KubernetesObject[]): Side {
  const byName = new Map(objects.filter(isGenerated).map((object) => [object.metadata.name, object]));
  const filesOf: Side["filesOf"] = (pool) => {
    const found = byName.get(machineConfigName(pool)) ?? byName.get(machineConfigName("worker"));
    return found ? readMachineConfigFiles(found) : [];
  };
  return { filesOf, paths: undefined, objects };
}

/**
 * Renders a side. Manifests are rendered as a whole, unless they hold nothing but MachineConfigs that somebody
 * has generated already: then these are taken as they are.
 */
export function renderSide(given: GivenSide, { compat, previous }: RenderSideOptions): RenderedSide {
  if ("files" in given) {
    const { files, paths } = given;
    return { side: { filesOf: () => files, paths, objects: [] }, issues: [] };
  }
  const { objects, issues } = given;
  const isConfiguration = objects.some((object) => configurationKinds.some((kind) => isKind(kind, object)));
  if (!isConfiguration && objects.some(isGenerated)) return { side: fromMachineConfigs(objects), issues };

  const input = {
    ...mirrorInputOf(objects),
    ...(previous === undefined ? {} : { previous: { registriesConf: previous } }),
  };
  const { refused, files, issues: found } = configureMirrors(input, compat ? { compat } : {});
  const side = refused ? undefined : { filesOf: () => files, paths: undefined, objects };
  return { side, issues: [...issues, ...found] };
}

/** Other MachineConfigs that differ as well: they end up in the same change of a node, and are not judged. */
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
  return differing.map(([, object]) => ({
    code: "OtherMachineConfig",
    severity: "warning",
    object: issueObject(object),
    path: "spec",
    value: undefined,
    message: "This MachineConfig differs too, and what it costs a node is not part of the answer.",
    remedy: "Add its cost; most changes of a MachineConfig reboot.",
  }));
}
