import type { Assumption } from "../covered/coverage.ts";
import { sentence } from "../credentials/redact.ts";
import { isKind, kinds } from "../kubernetes/object.ts";
import { isMachineConfigName } from "../machine-config/machine-config.ts";
import { type NodeFile, nodePaths } from "../machine-config/node-file.ts";
import { clusterReleases } from "../releases/cluster-releases.ts";
import { nearestRelease } from "../releases/operator-forms.ts";
import { releaseText } from "../releases/release.ts";
import type { MirrorInput } from "./configuration.ts";
import { findReleaseImage } from "./input/release-image.ts";

function releaseAssumption(input: MirrorInput): string | undefined {
  const { current, isAssumed } = clusterReleases(input.clusterVersion, input.releaseVersion);
  const nearest = nearestRelease(current);
  if (nearest) return sentence`release ${releaseText(nearest)} instead of ${releaseText(current)}`;
  const isImageKnown = findReleaseImage(input).state !== "absent";
  if (!isAssumed && isImageKnown) return undefined;
  const release = isAssumed ? sentence`release ${releaseText(current)}` : "a release image";
  return isImageKnown ? release : sentence`${release} from OpenShift's own repositories`;
}

/**
 * Returns what is assumed about a cluster whose nodes' files follow from this input. Manifests may lack an object that the
 * cluster has, unless they are `isWhole`, as those of a hub. `pools` are those of a cluster without MachineConfigPools.
 */
export function clusterAssumptions(
  input: MirrorInput,
  { isWhole, pools }: Readonly<{ isWhole: boolean; pools: string }>,
): readonly Assumption[] {
  const release = releaseAssumption(input);
  const has = (kind: (typeof kinds)[keyof typeof kinds]) =>
    input.objects.some((object) => isKind(kind, object));
  const hasOthers = input.objects.some(
    (object) => isKind(kinds.MachineConfig, object) && !isMachineConfigName(object.metadata.name),
  );
  return [
    ...(release === undefined ? [] : [{ what: "release", text: release } as const]),
    ...(input.image || isWhole ? [] : [{ what: "image", text: "an empty Image" } as const]),
    ...(has(kinds.MachineConfigPool) ? [] : [{ what: "pool", text: pools } as const]),
    ...(hasOthers || isWhole
      ? []
      : [{ what: "machine-configs", text: "no MachineConfig changes these files" } as const]),
  ];
}

/** Returns what is assumed about a node of which these files are given; `isWhole` are those of a folder of a node. */
export function nodeFileAssumptions(files: readonly NodeFile[], isWhole: boolean): readonly Assumption[] {
  const mainFiles = [nodePaths.registriesConf, nodePaths.policy];
  const absent = mainFiles.filter((path) => files.every((file) => file.path !== path));
  // A folder with neither has only drop-ins.
  if (isWhole && absent.length < mainFiles.length) return [];
  return absent.map((path) => ({ what: "node-files", text: sentence`no ${path}` }));
}
