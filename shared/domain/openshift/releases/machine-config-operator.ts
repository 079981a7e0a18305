import { sentence } from "../../text/redact.ts";
import { type ClusterReleases, newestReadRelease, newestRelease } from "./cluster-releases.ts";
import { compareReleases, type Release, releaseText } from "./release.ts";

/**
 * Decisions of machine-config-operator and its libraries about the files of mirrors, by release. Read on its branches
 * release-4.16 (7327bb235), release-4.17 (3bdd678e8), release-4.18 (f313997e0), release-4.19 (1a6905d98), release-4.20
 * (afed09939), release-5.0 (d20efd9b9, equal to 4.23) and release-5.1 (7ff337a4f, equal to 5.2).
 */

/** How a release's machine-config-operator reads image policies, writes the files of nodes and changes the nodes. */
export type OperatorForm = Readonly<{
  /** The newest version of Ignition that the operator reads, and the one that it writes. */
  ignition: "3.4.0" | "3.5.0";
  /** registries.conf has a line for `additional-layer-store-auth-helper`, which is always empty. */
  hasAuthHelper: boolean;
  /** The indentation of one level of policy.json; empty for a file in one line. */
  policyIndent: "" | "  ";
  /** The same for the policies of namespaces; undefined if ImagePolicies are not read. */
  namespaceIndent: " " | "  " | undefined;
  /** registries.d also names the mirrors of the policies' scopes. */
  namesMirrorsOfScopes: boolean;
  /** Policy scopes that are or contain the repository of the payload are skipped. */
  skipsPayloadScopes: boolean;
  /** The root of trust of a policy can be `PKI`. */
  readsPki: boolean;
  /** The only version in which ClusterImagePolicy and ImagePolicy are served and read. */
  policyVersion: "config.openshift.io/v1alpha1" | "config.openshift.io/v1";
  /** A change of registries.conf does not drain while ConfigMap `image-registry-override-drain` exists. */
  readsDrainOverride: boolean;
  /** The nodes of a pool in image mode drain and reboot for every change, whatever their node disruption policies. */
  rebootsImageMode: boolean;
  /** Special bits in a file's mode stay before version 3.4 of Ignition too, and the operator refuses the file. */
  keepsSpecialBits: boolean;
}>;

/** The oldest release whose operator was read. */
export const oldestRelease: Release = { major: 4, minor: 16 };

/** The form on branch release-4.16, before the changes of the rows below. */
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
  /** The place on the branch of that release: the file, by default in the controller's folder, and the line. */
  at: string;
  change: Partial<OperatorForm>;
}>;

const changeOf = (major: number, minor: number, at: string, change: Partial<OperatorForm>): FormChange => ({
  since: { major, minor },
  at,
  change,
});

/** The oldest change first. The controller is in pkg/controller/container-runtime-config. */
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

/** Returns the form of a release; for an unknown release, that of the nearest known one. */
export function operatorForm(release: Release): OperatorForm {
  let form = oldestForm;
  for (const { since, change } of formChanges)
    if (compareReleases(since, release) <= 0) form = { ...form, ...change };
  return form;
}

/** The newest form, with the version of Ignition that every release reads. */
export const ownForm: OperatorForm = { ...operatorForm(newestRelease), ignition: "3.4.0" };

/** Returns the known release whose form stands in for that of an unread release; undefined for one that was read. */
export function nearestRelease(release: Release): Release | undefined {
  if (compareReleases(release, oldestRelease) < 0) return oldestRelease;
  return compareReleases(release, newestReadRelease) > 0 ? newestRelease : undefined;
}

/** Returns why the form of another release than the cluster's is used; undefined if its own is known. */
export function assumedForm({ current, isAssumed }: ClusterReleases): string | undefined {
  if (isAssumed) return sentence`no release is known: the form of ${releaseText(newestRelease)} is assumed`;
  const nearest = nearestRelease(current);
  return (
    nearest &&
    sentence`the form of ${releaseText(current)} is unknown: that of ${releaseText(nearest)} is assumed`
  );
}
