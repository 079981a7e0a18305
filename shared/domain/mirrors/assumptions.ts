import { indexScopes, isNested } from "../images/scope.ts";
import type { Assumption } from "../issues/coverage.ts";
import { fieldWarning, type Issue } from "../issues/issue.ts";
import { goQuote } from "../kubernetes/json/go-quote.ts";
import { isKind, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { isMachineConfigName } from "../openshift/machine-config/machine-config.ts";
import { type ClusterReleases, clusterReleases } from "../openshift/releases/cluster-releases.ts";
import { assumedForm, nearestRelease } from "../openshift/releases/machine-config-operator.ts";
import { releaseText } from "../openshift/releases/release.ts";
import { sentence } from "../text/redact.ts";
import type { MirrorInput } from "./configuration.ts";
import { readRegistrySources, registrySources } from "./input/read-image.ts";
import { findReleaseImage, repositoriesOf } from "./input/release-repositories.ts";

function releaseAssumption(input: MirrorInput): string | undefined {
  const { current, isAssumed } = clusterReleases(input.clusterVersion, input.releaseVersion);
  const nearest = nearestRelease(current);
  if (nearest) return sentence`release ${releaseText(nearest)} instead of ${releaseText(current)}`;
  const isImageKnown = findReleaseImage(input).state !== "absent";
  if (!isAssumed && isImageKnown) return undefined;
  const release = isAssumed ? sentence`release ${releaseText(current)}` : "a release image";
  const from = isImageKnown ? "" : " from OpenShift's own repositories";
  return sentence`${release}${from}${isAssumed ? ", without the signature policy of its payload" : ""}`;
}

/**
 * Returns what is assumed about a cluster. `isWhole` is true if the input has all objects of the cluster. `pools` is
 * the assumption for input without MachineConfigPools.
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

/** Returns a warning if the files have the form of an assumed release: hubrelay does not know the cluster's release. */
export function assumedRelease(releases: ClusterReleases): readonly Issue[] {
  const assumed = assumedForm(releases);
  if (assumed === undefined) return [];
  return [
    fieldWarning({ kind: "ClusterVersion", name: "version" }, "status.history", null, {
      code: "ReleaseAssumed",
      message: sentence`machine-config-operator writes these files in a form that depends on the release: ${assumed}`,
      remedy: "Add the ClusterVersion with its status, or give the version with --release-version.",
    }),
  ];
}

type Rejection = Readonly<{ path: string; value: unknown; why: string; remedy: string; major: string }>;

function rejected(
  image: KubernetesObject,
  repositories: readonly string[],
  { path, value, why, remedy, major }: Rejection,
): readonly Issue[] {
  if (repositories.length === 0) return [];
  const issue = fieldWarning(image, path, value, {
    code: "AssumedPayloadRejected",
    message: sentence`the release is not known; if it is one of OpenShift ${major}, nodes reject its images in ${repositories.map(goQuote).join(", ")}, from mirrors too, since ${why}`,
    remedy: sentence`${remedy} If the release is in other repositories, add the ClusterVersion to what is checked, or give --release-image.`,
  });
  return [issue];
}

/** Returns warnings about lists that reject OpenShift's repositories; empty if the input names the release image. */
export function assumedPayload(input: MirrorInput): readonly Issue[] {
  const { image } = input;
  if (!image || findReleaseImage(input).state !== "absent") return [];
  const repositories = repositoriesOf(input.releaseVersion);
  const [major = ""] = (input.releaseVersion ?? "4").split(".");
  const { blocked = [], allowed = [] } = readRegistrySources(image).sources;
  const ofBlocked = blocked.flatMap(({ scope, path }) =>
    rejected(
      image,
      repositories.filter((repository) => isNested(repository, scope)),
      {
        path,
        major,
        value: scope,
        why: sentence`${goQuote(scope)} is blocked`,
        remedy: sentence`Remove ${scope} from ${registrySources}.blockedRegistries.`,
      },
    ),
  );
  if (allowed.length === 0) return ofBlocked;
  const scopes = allowed.map(({ scope }) => scope);
  const isAllowed = indexScopes(scopes);
  const absent = repositories.filter((repository) => !isAllowed.covers(repository));
  const ofAllowed = rejected(image, absent, {
    path: `${registrySources}.allowedRegistries`,
    major,
    value: scopes,
    why: "they are not allowed",
    remedy: sentence`Add ${absent.join(" and ")}, or a scope around each, to ${registrySources}.allowedRegistries.`,
  });
  return [...ofBlocked, ...ofAllowed];
}
