import { byCodeUnit, someOf, withoutRepeats } from "../kubernetes/json/values.ts";
import {
  displayName,
  isOneOf,
  type Kind,
  type KubernetesObject,
  kinds as knownKinds,
} from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import { fieldIssue, type Issue } from "./issue.ts";
import type { IssueCode } from "./issue-codes.ts";

/** The reasons why a part of the input was not read, each with its text for people, in output order. */
export const unreadReasons = {
  kind: "other kinds",
  hidden: "hidden folders",
  excluded: "excluded by .hubrelay.yaml, and changed",
  document: "no Kubernetes objects",
  cluster: "of another cluster",
  template: "a template decides it",
  "older-run": "an older run of oc-mirror v1 wrote it; the newest run lists only what it added",
  "not-enforced": "its policy does not enforce it",
  unreadable: "cannot be read",
  permission: "no permission",
  "not-given": "not given",
  unreachable: "does not respond",
  "not-checked": "not checked",
  "no-cluster": "not planned, since no ManagedCluster is given",
  "no-policy": "not planned, since its policies are not given",
  "no-graph": "planned without its update graph",
} as const;
export type UnreadReason = keyof typeof unreadReasons;

/** The facts that hubrelay may have to assume. */
export const assumedParts = [
  "release",
  "image",
  "pool",
  "machine-configs",
  "side",
  "architecture",
  "hub-version",
  "policies",
] as const;

/** `what` is the kind of the counted items, or the name of one object or file. */
type Counted = Readonly<{ what: string; count: number }>;

/** Input that exists but was not read. */
export type Unread = Counted & Readonly<{ why: UnreadReason }>;

/** A fact that the input lacks. `text`, a part of a sentence, is what hubrelay assumes instead. */
export type Assumption = Readonly<{ what: (typeof assumedParts)[number]; text: string }>;

/**
 * An inform-only OCM Policy, and the ClusterGroupUpgrades `by` that enforce it. If `by` is empty, hubrelay assumes that
 * the policy is enforced.
 */
export type Enforced = Readonly<{
  policy: string;
  by: readonly string[];
  clusters: readonly string[];
}>;

/** The input behind a result: what was read, what was not, and what is assumed. */
export type Coverage = Readonly<{
  complete: boolean;
  read: readonly Counted[];
  unread: readonly Unread[];
  assumed: readonly Assumption[];
  /** The inform-only OCM Policies that ClusterGroupUpgrades enforce; absent if there are none. */
  enforced?: readonly Enforced[];
}>;

function merged<Item extends Counted>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly Item[] {
  return [...Map.groupBy(items, keyOf)]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .flatMap(([, [first, ...others]]) =>
      first ? [{ ...first, count: others.reduce((sum, { count }) => sum + count, first.count) }] : [],
    );
}

const reasons = Object.keys(unreadReasons);
const mergedUnread = (unread: readonly Unread[]): readonly Unread[] =>
  merged(unread, ({ what, why }) => `${reasons.indexOf(why)} ${what}`);

/** Returns the unread parts of several inputs. A part of more than one input is listed once. */
export const unreadOfAll = (all: readonly (readonly Unread[])[]): readonly Unread[] =>
  withoutRepeats(all.flatMap(mergedUnread));

const namesOf = (policies: readonly Enforced[]): string =>
  someOf(
    policies.map(({ policy }) => policy),
    3,
  );

/** Returns the coverage of a result, with equal items merged. */
export function coverageOf({ read, unread, assumed, enforced = [] }: Omit<Coverage, "complete">): Coverage {
  const managed = withoutRepeats(enforced.filter(({ by }) => by.length > 0));
  const others = withoutRepeats(enforced.filter(({ by }) => by.length === 0));
  const ofPolicies: readonly Assumption[] =
    others.length === 0
      ? []
      : [{ what: "policies", text: sentence`a ClusterGroupUpgrade enforces ${namesOf(others)}` }];
  const all = withoutRepeats([...assumed, ...ofPolicies]);
  return {
    complete: unread.length === 0 && all.length === 0,
    read: merged(read, ({ what }) => what),
    unread: mergedUnread(unread),
    assumed: all,
    ...(managed.length > 0 ? { enforced: managed } : {}),
  };
}

/** Returns the coverage of several results together, without repeated items. */
export function coverageOfAll(all: readonly Coverage[]): Coverage {
  return coverageOf({
    read: withoutRepeats(all.flatMap(({ read }) => read)),
    unread: unreadOfAll(all.map(({ unread }) => unread)),
    assumed: all.flatMap(({ assumed }) => assumed),
    enforced: all.flatMap(({ enforced = [] }) => enforced),
  });
}

const countedText = ({ what, count }: Counted): string => (count > 1 ? sentence`${what} (${count})` : what);

function enforcedText(enforced: readonly Enforced[]): string {
  const texts = [...Map.groupBy(enforced, ({ by }) => by.join(", "))].map(([by, some]) => {
    const clusters = [...new Set(some.flatMap((one) => one.clusters))];
    const where = clusters.length > 0 ? sentence` on ${someOf(clusters, 3)}` : "";
    return sentence`${namesOf(some)} by ${by}${where}`;
  });
  return sentence`Enforced: ${texts.join("; ")}.`;
}

/** Formats a coverage as at most three lines: which policies are enforced, what was not read, and what is assumed. */
export function coverageLines({ unread, assumed, enforced = [] }: Coverage): readonly string[] {
  const groups = [...Map.groupBy(unread, ({ why }) => why)];
  const notRead = groups.map(
    ([why, some]) => sentence`${someOf(some.map(countedText))}: ${unreadReasons[why]}`,
  );
  return [
    ...(enforced.length > 0 ? [enforcedText(enforced)] : []),
    ...(notRead.length > 0 ? [sentence`Not read: ${notRead.join("; ")}.`] : []),
    ...(assumed.length > 0 ? [sentence`Assumed: ${assumed.map(({ text }) => text).join("; ")}.`] : []),
  ];
}

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
  ["OtherMachineConfig", "not-checked"],
  ["ReleaseImagesUnknown", "not-checked"],
  ["ClusterTopologyUnknown", "not-checked"],
  ["ClusterVersionUnknown", "not-checked"],
  ["HubVersionUnknown", "not-checked"],
]);

/** The property that is unknown for some clusters, by issue code. The issue's value is the number of these clusters. */
const unknownOfClusters: ReadonlyMap<IssueCode, string> = new Map([
  ["ClusterTopologyUnknown", "topology"],
  ["ClusterVersionUnknown", "version"],
  ["HubVersionUnknown", "distance from the hub's version"],
]);

function unreadName({ code, object, path }: Issue, pathOf: (file: string) => string): string {
  const named = displayName(object.kind === "File" ? { ...object, name: pathOf(object.name) } : object);
  const unknown = unknownOfClusters.get(code);
  if (unknown !== undefined) return sentence`${unknown} of clusters of ${named}`;
  return code === "UnreadNodeFile" ? sentence`${named} ${path}` : named;
}

/** Returns the unread input that issues report. `pathOf` returns a file's path in its repository. */
export function unreadOfIssues(
  issues: readonly Issue[],
  pathOf = (file: string): string => file,
): readonly Unread[] {
  const found = issues.flatMap((issue) => {
    const why = unreadCodes.get(issue.code);
    if (why === undefined) return [];
    const isCount = unknownOfClusters.has(issue.code) && typeof issue.value === "number";
    return [{ what: unreadName(issue, pathOf), why, count: isCount ? Number(issue.value) : 1 }];
  });
  return withoutRepeats(found);
}

/** Returns an error if the coverage is incomplete, for callers that require a complete coverage. */
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

type Input = Readonly<{
  objects: readonly KubernetesObject[];
  unread: readonly Unread[];
  issues: readonly Issue[];
  assumed: readonly Assumption[];
  enforced?: readonly Enforced[];
  nameOf?: (file: string) => string;
}>;

const isHubrelays = isOneOf(Object.values(knownKinds));

/** Reports whether the kind is in `knownKinds` or of Kubernetes, whose groups have no dot or end with `.k8s.io`. */
function isKnown(object: KubernetesObject): boolean {
  const [group = ""] = object.apiVersion.split("/");
  return !group.includes(".") || group.endsWith(".k8s.io") || isHubrelays(object);
}

/** Returns a count of 1 for each object, named by the object's kind. */
export const countedKinds = (objects: readonly KubernetesObject[]): readonly Counted[] =>
  objects.map(({ kind }) => ({ what: kind, count: 1 }));

/** Reports each object as unread input, named by its kind. */
export const unreadKinds = (objects: readonly KubernetesObject[]): readonly Unread[] =>
  countedKinds(objects).map((one) => ({ ...one, why: "kind" }));

/** Returns the coverage of a result that uses objects of these `kinds`. Objects of unknown kinds are unread. */
export function inputCoverage(
  { objects, unread, issues, assumed, enforced = [], nameOf }: Input,
  kinds: readonly Kind[],
): Coverage {
  const isRead = isOneOf(kinds);
  const others = objects.filter((object) => !isRead(object) && !isKnown(object));
  return coverageOf({
    read: countedKinds(objects.filter(isRead)),
    unread: [...unread, ...unreadKinds(others), ...unreadOfIssues(issues, nameOf)],
    assumed,
    enforced,
  });
}
