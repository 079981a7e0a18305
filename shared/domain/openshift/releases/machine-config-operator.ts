import { sentence } from "../../text/redact.ts";
import { type ClusterReleases, newestReadRelease, newestRelease } from "./cluster-releases.ts";
import { compareReleases, type Release, releaseText } from "./release.ts";

/**
 * How machine-config-operator and its libraries write the files of mirrors, by release. Source: the operator's branches
 * release-4.16 (7327bb235), release-4.17 (3bdd678e8), release-4.18 (f313997e0), release-4.19 (1a6905d98), release-4.20
 * (afed09939), release-5.0 (d20efd9b9, equal to 4.23) and release-5.1 (7ff337a4f, equal to 5.2).
 */

/** How the behavior of machine-config-operator differs between releases. */
export type OperatorForm = Readonly<{
  /** The version of Ignition that the operator writes. It is also the newest version that the operator reads. */
  ignition: "3.4.0" | "3.5.0";
  /** Whether registries.conf has a line for `additional-layer-store-auth-helper`, whose value is always empty. */
  hasAuthHelper: boolean;
  /** The indentation of one level of policy.json; empty if the file has a single line. */
  policyIndent: "" | "  ";
  /**
   * The indentation of one level in signature policies of namespaces; undefined if the operator reads no ImagePolicies.
   */
  namespaceIndent: " " | "  " | undefined;
  /** Whether registries.d lists not only the scopes of image policies, but also the mirrors of these scopes. */
  namesMirrorsOfScopes: boolean;
  /** Whether the operator ignores the scopes of image policies that equal or contain the payload's repository. */
  skipsPayloadScopes: boolean;
  readsPki: boolean;
  /** The only API version of ClusterImagePolicy and ImagePolicy that the release serves. */
  policyVersion: "config.openshift.io/v1alpha1" | "config.openshift.io/v1";
  /**
   * Whether the ConfigMap `image-registry-override-drain` keeps nodes from being drained when registries.conf changes.
   */
  readsDrainOverride: boolean;
  /** Whether nodes of a pool in image mode reboot for every change, even if a node disruption policy says otherwise. */
  rebootsImageMode: boolean;
  /**
   * Whether the operator keeps special mode bits (such as setuid) in Ignition 3.0 to 3.3, and therefore refuses the
   * MachineConfig. Older operators remove these bits.
   */
  keepsSpecialBits: boolean;
}>;

/** The oldest release of which the operators' source code was read for hubrelay. */
export const oldestRelease: Release = { major: 4, minor: 16 };

/** The behavior of the operator of 4.16. Each comment names the source: file and line on the branch release-4.16. */
const oldestForm: OperatorForm = {
  ignition: "3.4.0", // pkg/controller/common/constants.go:65
  hasAuthHelper: false, // go.mod:12, containers/image v5.29.4
  policyIndent: "", // helpers.go:571
  namespaceIndent: undefined, // container_runtime_config_controller.go:1040
  namesMirrorsOfScopes: false, // helpers.go:936
  skipsPayloadScopes: true, // container_runtime_config_controller.go:1061
  readsPki: false, // helpers.go:851
  policyVersion: "config.openshift.io/v1alpha1", // container_runtime_config_controller.go:319
  readsDrainOverride: true, // pkg/daemon/update.go:2807
  rebootsImageMode: true, // pkg/daemon/update.go:976
  keepsSpecialBits: false, // go.mod:18, ignition v2.15.0, config/v3_4/translate/translate.go:36
};

type FormChange = Readonly<{
  since: Release;
  /**
   * The source: file and line on the branch of the release `since`. A file without a folder is in
   * pkg/controller/container-runtime-config.
   */
  at: string;
  change: Partial<OperatorForm>;
}>;

const changeOf = (major: number, minor: number, at: string, change: Partial<OperatorForm>): FormChange => ({
  since: { major, minor },
  at,
  change,
});

/** The changes since 4.16. The oldest change comes first, because later changes override earlier changes. */
const formChanges: readonly FormChange[] = [
  changeOf(4, 17, "helpers.go:589", { policyIndent: "  " }),
  changeOf(4, 17, "helpers.go:954", { namesMirrorsOfScopes: true }),
  changeOf(4, 17, "container_runtime_config_controller.go:1214", { skipsPayloadScopes: false }),
  changeOf(4, 18, "helpers.go:1165", { namespaceIndent: " " }),
  changeOf(4, 19, "pkg/controller/common/constants.go:89", { ignition: "3.5.0" }),
  changeOf(4, 19, "go.mod:15, containers/image v5.34.1", { hasAuthHelper: true }),
  changeOf(4, 19, "helpers.go:879", { readsPki: true }),
  changeOf(4, 19, "helpers.go:1182", { namespaceIndent: "  " }),
  changeOf(4, 20, "container_runtime_config_controller.go:341", { policyVersion: "config.openshift.io/v1" }),
  changeOf(4, 20, "pkg/daemon/drain.go:131", { readsDrainOverride: false }),
  changeOf(4, 20, "pkg/daemon/update.go:893", { rebootsImageMode: false }),
  changeOf(4, 23, "go.mod:26, ignition v2.26.0", { keepsSpecialBits: true }),
];

/** Returns the behavior of a release's operator; for an unknown release, the behavior of the nearest known release. */
export function operatorForm(release: Release): OperatorForm {
  let form = oldestForm;
  for (const { since, change } of formChanges)
    if (compareReleases(since, release) <= 0) form = { ...form, ...change };
  return form;
}

/**
 * The behavior that hubrelay imitates by default: that of `newestRelease`, but with the Ignition version that every
 * release reads.
 */
export const ownForm: OperatorForm = { ...operatorForm(newestRelease), ignition: "3.4.0" };

/** Returns the known release whose behavior is assumed for an unknown release; undefined if the release is known. */
export function nearestRelease(release: Release): Release | undefined {
  if (compareReleases(release, oldestRelease) < 0) return oldestRelease;
  return compareReleases(release, newestReadRelease) > 0 ? newestRelease : undefined;
}

/** Returns why another release's behavior is assumed for a cluster; undefined if the cluster's release is known. */
export function assumedForm({ current, isAssumed }: ClusterReleases): string | undefined {
  if (isAssumed) return sentence`no release is known: the form of ${releaseText(newestRelease)} is assumed`;
  const nearest = nearestRelease(current);
  return (
    nearest &&
    sentence`the form of ${releaseText(current)} is unknown: that of ${releaseText(nearest)} is assumed`
  );
}
