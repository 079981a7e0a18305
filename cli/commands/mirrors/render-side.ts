import { writerOf } from "#functions/mirror-config/ownership.ts";
import { mirrorKinds } from "#functions/mirror-config/watches.ts";
import type { Side } from "#shared/domain/diff/compare-sides.ts";
import { fieldWarning, type Issue } from "#shared/domain/issues/issue.ts";
import { fieldsOf, isRecord, isSameJson } from "#shared/domain/kubernetes/json/values.ts";
import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { configureMirrors, mirrorInputOf, shownConfiguration } from "#shared/domain/mirrors/configuration.ts";
import {
  configurePool,
  configurePools,
  poolNamed,
  poolsOf,
} from "#shared/domain/mirrors/effective/pool-configuration.ts";
import { isGenerated, isMachineConfigName } from "#shared/domain/openshift/machine-config/machine-config.ts";
import {
  isPullFile,
  isRuntimeDropIn,
  type NodeFile,
} from "#shared/domain/openshift/machine-config/node-file.ts";
import { generatedFiles, type Pool } from "#shared/domain/openshift/machine-config/pool-files.ts";
import { clusterReleases } from "#shared/domain/openshift/releases/cluster-releases.ts";
import type { GivenSide } from "./diff-side.ts";
import { givenVersion, namedRelease, type ReleaseOptions } from "./mirror-input.ts";

/** A rendered side and its issues. `side` is undefined if it could not be rendered. */
export type RenderedSide = Readonly<{
  side: Side | undefined;
  issues: readonly Issue[];
  /** True if the mirror objects have errors, so that nodes keep their files. `side` has only the valid rules. */
  isRefused: boolean;
}>;

const configurationKinds = [...mirrorKinds, kinds.Image];

const machineConfigsIn = (objects: readonly KubernetesObject[]) =>
  objects.filter((object) => isKind(kinds.MachineConfig, object));

/** Leaves out refused files, which have no contents, and CRI-O's drop-ins, which `otherMachineConfigs` compares. */
const comparable = (files: readonly NodeFile[]) =>
  files.filter(({ refusal, path }) => refusal === undefined && !isRuntimeDropIn(path));

function sideOf(
  objects: readonly KubernetesObject[],
  release: ReleaseOptions,
): Readonly<{ side: Side; issues: readonly Issue[] }> {
  const machineConfigs = machineConfigsIn(objects);
  const clusterVersion = objects.find((object) => isKind(kinds.ClusterVersion, object));
  const releases = clusterReleases(clusterVersion, givenVersion(release));
  const configurationOf = (pool: Pool) => {
    const files = generatedFiles(machineConfigs, pool.name) ?? [];
    return configurePool(pool, { objects }, { files, basis: undefined, releases });
  };
  const filesOf = (pool: string) => comparable(configurationOf(poolNamed(objects, pool)).files);
  const issues = poolsOf(objects).flatMap((pool) => configurationOf(pool).issues);
  return { side: { filesOf, objects }, issues };
}

/** Renders a side. If the manifests have only MachineConfigs, uses the files in these MachineConfigs as they are. */
export function renderSide(given: GivenSide, release: ReleaseOptions): RenderedSide {
  const { objects, issues } = given;
  if (issues.some(({ code }) => code === "RenderFailed"))
    return { side: undefined, issues, isRefused: false };
  const isConfiguration = objects.some((object) => configurationKinds.some((kind) => isKind(kind, object)));
  if (!isConfiguration && machineConfigsIn(objects).length > 0) {
    const { side, issues: ofPools } = sideOf(objects, release);
    return { side, issues: [...issues, ...ofPools], isRefused: false };
  }

  const mirrors = mirrorInputOf(objects);
  const input = { ...mirrors, ...namedRelease(release) };
  const configuration = shownConfiguration(configureMirrors(input, { writer: writerOf(objects) }));
  const { filesOf, issues: ofPools } = configurePools(input, configuration);
  const side = { filesOf: (pool: string) => comparable(filesOf(pool)), objects };
  return {
    side,
    issues: [...issues, ...configuration.issues, ...ofPools],
    isRefused: configuration.refused,
  };
}

/** Returns what a MachineConfig has besides files that configure mirrors. */
function restOf({ spec }: KubernetesObject): unknown {
  if (!isRecord(spec)) return undefined;
  const config = fieldsOf(spec.config);
  const storage = fieldsOf(config.storage);
  const { ignition: _version, ...otherConfig } = config;
  const files = Array.isArray(storage.files)
    ? storage.files.filter(
        (file) => !isRecord(file) || typeof file.path !== "string" || !isPullFile(file.path),
      )
    : [];
  return withoutEmpty({ ...spec, config: { ...otherConfig, storage: { ...storage, files } } });
}

/** Removes values that mean the same as an absent field: empty lists, objects and texts, null, false and 0. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 ? value : undefined;
  if (!isRecord(value)) return value || undefined;
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const kept = withoutEmpty(field);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}

/** Returns a warning for each MachineConfig with changes besides mirror files: their cost is not computed. */
export function otherMachineConfigs(before: Side, after: Side): readonly Issue[] {
  const restsOf = ({ objects }: Side) =>
    new Map(
      machineConfigsIn(objects)
        .filter(({ metadata }) => !isMachineConfigName(metadata.name))
        .map((object) => [object.metadata.name, { object, rest: restOf(object) }]),
    );
  const old = restsOf(before);
  const now = restsOf(after);
  const differing = [...new Map([...old, ...now])].filter(
    ([name]) => !isSameJson(old.get(name)?.rest, now.get(name)?.rest),
  );
  return differing.map(([, { object }]) =>
    fieldWarning(object, "spec", undefined, {
      code: "OtherMachineConfig",
      message:
        "This MachineConfig differs in more than files of the mirror configuration, and the cost of that for a node is not part of the result.",
      remedy: "Add its cost; most changes of a MachineConfig reboot.",
    }),
  );
}

/** Only a whole cluster has MachineConfigs that machine-config-operator generates. */
function isWholeCluster(objects: readonly KubernetesObject[]): boolean {
  return machineConfigsIn(objects).some(
    (object) => isGenerated(object) && !isMachineConfigName(object.metadata.name),
  );
}

/** The kinds of objects that decide which manifests of a release's payload the cluster applies. */
const releaseKinds = [kinds.ClusterVersion, kinds.FeatureGate, kinds.Infrastructure];

/**
 * Adds objects of `other` that `given` lacks: those that determine the release, and MachineConfigs of a whole cluster.
 * A folder with only mirror objects does not mean that all other objects are removed.
 */
export function withClusterObjects(given: GivenSide, other: GivenSide): GivenSide {
  const { objects } = given;
  const lacking = releaseKinds.filter((kind) => !objects.some((object) => isKind(kind, object)));
  const ofRelease = other.objects.filter((object) => lacking.some((kind) => isKind(kind, object)));
  const hasMachineConfigs = machineConfigsIn(objects).length > 0 || !isWholeCluster(other.objects);
  const kept = hasMachineConfigs
    ? []
    : machineConfigsIn(other.objects).filter(({ metadata }) => !isMachineConfigName(metadata.name));
  return { ...given, objects: [...objects, ...ofRelease, ...kept] };
}
