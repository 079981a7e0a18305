import { sentence } from "../credentials/redact.ts";
import { hasErrors, type Issue } from "../issues/issue.ts";
import { kinds } from "../kubernetes/kinds.ts";
import { isDrainOverride, isMachineOSConfig } from "../node-cost/release-effects.ts";
import type { ClusterReleases } from "../releases/cluster-releases.ts";
import { releaseText } from "../releases/release.ts";
import { counted } from "../text/human-readable.ts";
import { type CostReport, type Side, uncomparedCount } from "./compare-sides.ts";

/** A side of `hubrelay diff` with its name for messages, and its issues. */
export type NamedSide = Readonly<{ name: string; side: Side; issues: readonly Issue[] }>;

/** What two sides differ in, what the new one fixes, and what is assumed. */
export type DiffReport = CostReport &
  Readonly<{
    /** How many issues of the old side the new one does not have. */
    fixed: Readonly<{ errors: number; warnings: number }>;
    /** What was not among the input and is assumed, a sentence each. */
    assumed: readonly string[];
  }>;

/** Identifies an issue on both sides: a rule that was added before it changes its index, and files have other names. */
function identity({ code, severity, object, path, value }: Issue): string {
  return JSON.stringify([code, severity, object, path.replaceAll(/\[\d+\]/g, "[]"), value]);
}

/** Returns the issues of the old side that the new one does not have. */
export function fixedIssues(before: readonly Issue[], after: readonly Issue[]): readonly Issue[] {
  const left = new Map([...Map.groupBy(after, identity)].map(([id, issues]) => [id, issues.length]));
  return before.filter((issue) => {
    const id = identity(issue);
    const count = left.get(id) ?? 0;
    left.set(id, count - 1);
    return count <= 0;
  });
}

const configuresNothing = ({ side: { filesOf } }: NamedSide): boolean => filesOf("worker").length === 0;

/** Says how many files of a node are not compared. */
function uncomparedText(node: NamedSide, other: NamedSide): readonly string[] {
  const count = uncomparedCount(node.side, other.side);
  if (count === 0 || !node.side.isNode) return [];
  return [
    sentence`${counted(count, "file")} of ${node.name} that no MachineConfig of ${other.name} writes, nor mirror objects: not compared, as files of the operating system.`,
  ];
}

function assumptions(
  { changes }: CostReport,
  before: NamedSide,
  after: NamedSide,
  { current, isAssumed }: ClusterReleases,
): readonly string[] {
  const objects = [before, after].flatMap(({ side }) => side.objects);
  const hasPools = objects.some(({ kind }) => kind === kinds.MachineConfigPool.kind);
  const dependsOnRelease = objects.some((object) => isDrainOverride(object) || isMachineOSConfig(object));
  return [
    ...(configuresNothing(before)
      ? [sentence`${before.name} configures no mirror: every entry counts as added.`]
      : []),
    ...(configuresNothing(after)
      ? [sentence`${after.name} configures no mirror: every entry counts as removed.`]
      : []),
    ...uncomparedText(before, after),
    ...uncomparedText(after, before),
    ...(hasErrors(before.issues)
      ? [sentence`What is invalid in ${before.name} counts as not in effect.`]
      : []),
    ...(hasPools || changes.length === 0
      ? []
      : [
          "No side has a MachineConfigPool: master and worker are assumed, one node at a time, with any cost allowed.",
        ]),
    ...(isAssumed && dependsOnRelease
      ? [
          sentence`Neither a ClusterVersion nor --release-version names the release: ${releaseText(current)} is assumed. Up to 4.19 pools in image mode reboot for every change, and image-registry-override-drain skips a drain.`,
        ]
      : []),
  ];
}

/** Adds to a comparison what the new side fixes and what is assumed. */
export function diffReport(
  report: CostReport,
  before: NamedSide,
  after: NamedSide,
  releases: ClusterReleases,
): DiffReport {
  const fixed = fixedIssues(before.issues, after.issues);
  const errors = fixed.filter(({ severity }) => severity === "error").length;
  return {
    ...report,
    fixed: { errors, warnings: fixed.length - errors },
    assumed: assumptions(report, before, after, releases),
  };
}
