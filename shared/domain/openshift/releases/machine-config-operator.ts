import { sentence } from "../../text/redact.ts";
import { type ClusterReleases, newestReadRelease, newestRelease } from "./cluster-releases.ts";
import { compareReleases, type Release, releaseText } from "./release.ts";

/**
 * How machine-config-operator and its libraries write the files of mirrors, by release. Source: the operator's branches
 * release-4.16 (7327bb235), release-4.17 (3bdd678e8), release-4.18 (f313997e0), release-4.19 (1a6905d98), release-4.20
 * (afed09939), release-5.0 (d20efd9b9, equal to 4.23) and release-5.1 (7ff337a4f, equal to 5.2).
 */

/** How a release's machine-config-operator reads image policies, writes the files of nodes and changes the nodes. */
export type OperatorForm = Readonly<{
  /** The newest version of Ignition that the operator reads; it writes this version. */
  ignition: "3.4.0" | "3.5.0";
  /** Whether registries.conf has a line for `additional-layer-store-auth-helper`, whose value is always empty. */
  hasAuthHelper: boolean;
  /** The indentation of one level of policy.json; empty if the file has a single line. */
  policyIndent: "" | "  ";
  /** The indentation of one level in signature policies of namespaces; undefined if ImagePolicies are not read. */
  namespaceIndent: " " | "  " | undefined;
  /** Whether registries.d also lists the mirrors of the scopes of image policies. */
  namesMirrorsOfScopes: boolean;
  /** Whether an image policy's scope is skipped if it equals or contains the repository of the payload. */
  skipsPayloadScopes: boolean;
  /** Whether the root of trust of an image policy can be `PKI`. */
  readsPki: boolean;
  /** The only API version in which ClusterImagePolicy and ImagePolicy are served and read. */
  policyVersion: "config.openshift.io/v1alpha1" | "config.openshift.io/v1";
  /** Whether the ConfigMap `image-registry-override-drain` prevents the drain for changes of registries.conf. */
  readsDrainOverride: boolean;
  /** Whether nodes of a pool in image mode drain and reboot for every change, despite node disruption policies. */
  rebootsImageMode: boolean;
  /** Whether the operator keeps special bits of a file's mode even in Ignition before 3.4, and so refuses the file. */
  keepsSpecialBits: boolean;
}>;

/** The oldest release whose operator's source was read for hubrelay. */
export const oldestRelease: Release = { major: 4, minor: 16 };

/** The operator's behavior on branch release-4.16; `formChanges` lists what later releases change. */
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
  /** File (by default in the controller's folder) and line of the change on the release's branch. */
  at: string;
  change: Partial<OperatorForm>;
}>;

const changeOf = (major: number, minor: number, at: string, change: Partial<OperatorForm>): FormChange => ({
  since: { major, minor },
  at,
  change,
});

/** Changes of behavior, the oldest first. The controller's folder is pkg/controller/container-runtime-config. */
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

/** Returns the behavior of a release's operator; for an unknown release, the behavior in the nearest known release. */
export function operatorForm(release: Release): OperatorForm {
  let form = oldestForm;
  for (const { since, change } of formChanges)
    if (compareReleases(since, release) <= 0) form = { ...form, ...change };
  return form;
}

/** The behavior that hubrelay follows: the newest, but with the Ignition version that every release reads. */
export const ownForm: OperatorForm = { ...operatorForm(newestRelease), ignition: "3.4.0" };

/** Returns the known release whose behavior is assumed for an unknown release; undefined for a known release. */
export function nearestRelease(release: Release): Release | undefined {
  if (compareReleases(release, oldestRelease) < 0) return oldestRelease;
  return compareReleases(release, newestReadRelease) > 0 ? newestRelease : undefined;
}

/** Returns the reason for assuming another release's behavior; undefined if the cluster's release is a known one. */
export function assumedForm({ current, isAssumed }: ClusterReleases): string | undefined {
  if (isAssumed) return sentence`no release is known: the form of ${releaseText(newestRelease)} is assumed`;
  const nearest = nearestRelease(current);
  return (
    nearest &&
    sentence`the form of ${releaseText(current)} is unknown: that of ${releaseText(nearest)} is assumed`
  );
}
