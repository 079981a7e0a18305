import { sentence } from "../credentials/redact.ts";
import { fieldIssue, type Issue } from "../issues/issue.ts";
import type { ClusterReleases } from "../releases/cluster-releases.ts";
import { assumedForm } from "../releases/operator-forms.ts";

/** Returns a warning where the files of `compat: "mco"` are not in the form of the cluster's own release. */
export function assumedRelease(releases: ClusterReleases): readonly Issue[] {
  const assumed = assumedForm(releases);
  if (assumed === undefined) return [];
  return [
    fieldIssue({ kind: "ClusterVersion", name: "version" }, "status.history", null, {
      code: "ReleaseAssumed",
      severity: "warning",
      message: sentence`machine-config-operator writes these files in a form that depends on the release: ${assumed}`,
      remedy: "Add the ClusterVersion with its status, or give the version with --release-version.",
    }),
  ];
}
