import { sentence } from "../credentials/redact.ts";
import { fieldIssue, type Issue } from "../issues/issue.ts";
import type { IssueCode } from "../issues/issue-codes.ts";
import { displayName } from "../kubernetes/object.ts";
import { type Coverage, coverageLines, type Unread, type UnreadReason } from "./coverage.ts";

/** Issues that say that something was not read. */
const unreadCodes: ReadonlyMap<IssueCode, UnreadReason> = new Map([
  ["SkippedPath", "unreadable"],
  ["UnreadableFile", "unreadable"],
  ["RenderFailed", "unreadable"],
  ["InvalidManifest", "unreadable"],
  ["UnreadNodeFile", "unreadable"],
  ["ReleaseUnreadable", "unreadable"],
  ["CatalogUnreadable", "unreadable"],
  ["AuthoritiesForbidden", "permission"],
  ["NotOfOcMirror", "kind"],
  ["PolicyInvalid", "unreadable"],
  ["TemplatedField", "template"],
  ["CatalogChosenOnCluster", "template"],
  ["HubNotAsked", "not-checked"],
  ["RuleNotEvaluated", "not-checked"],
  ["RulesNotChecked", "not-checked"],
  ["OtherMachineConfig", "not-checked"],
  ["ReleaseImagesUnknown", "not-checked"],
  ["ClusterTopologyUnknown", "not-checked"],
  ["ClusterVersionUnknown", "not-checked"],
  ["HubVersionUnknown", "not-checked"],
]);

/** Issues that say what of the clusters of an object is not known; their value is the number of clusters. */
const unknownOfClusters: ReadonlyMap<IssueCode, string> = new Map([
  ["ClusterTopologyUnknown", "topology"],
  ["ClusterVersionUnknown", "version"],
  ["HubVersionUnknown", "distance from the hub's version"],
]);

function unreadName({ code, object, path }: Issue): string {
  const named = object.kind === "File" ? object.name : displayName(object);
  const unknown = unknownOfClusters.get(code);
  if (unknown !== undefined) return sentence`${unknown} of clusters of ${named}`;
  return code === "UnreadNodeFile" ? sentence`${named} ${path}` : named;
}

/** Returns what issues say was not read. */
export function unreadOfIssues(issues: readonly Issue[]): readonly Unread[] {
  return issues.flatMap((issue) => {
    const why = unreadCodes.get(issue.code);
    if (why === undefined) return [];
    const isCount = unknownOfClusters.has(issue.code) && typeof issue.value === "number";
    return [{ what: unreadName(issue), why, count: isCount ? Number(issue.value) : 1 }];
  });
}

/** Returns an error for what a result does not cover, where all is required; none for a complete coverage. */
export function coverageIssues(coverage: Coverage): readonly Issue[] {
  if (coverage.complete) return [];
  return [
    fieldIssue({ kind: "Coverage", name: "input" }, "", undefined, {
      code: "NotCovered",
      message: coverageLines(coverage).join(" "),
      remedy:
        "Add what is assumed to the input, name the release with --release-version and --release-image, and remove what is not read; or leave out --require-coverage.",
    }),
  ];
}
