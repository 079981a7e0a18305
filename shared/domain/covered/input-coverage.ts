import type { Issue } from "../issues/issue.ts";
import { isOneOf } from "../issues/served-version.ts";
import { type Kind, type KubernetesObject, kinds as knownKinds } from "../kubernetes/object.ts";
import type { NodeFile } from "../machine-config/node-file.ts";
import { type Assumption, type Counted, type Coverage, coverageOf, type Unread } from "./coverage.ts";
import { unreadOfIssues } from "./issue-coverage.ts";

/** The input of a command, and what is known to be missing in it. */
type Input = Readonly<{
  objects: readonly KubernetesObject[];
  /** The files of a node, if it is one of these instead. */
  nodeFiles?: readonly NodeFile[];
  unread: readonly Unread[];
  /** All that were found: some say that something was not read. */
  issues: readonly Issue[];
  assumed: readonly Assumption[];
}>;

const isHubrelays = isOneOf(Object.values(knownKinds));

/**
 * Reports whether it is known what an object does to a cluster: kinds of hubrelay, and of Kubernetes itself, whose API groups
 * have no dot or end with `.k8s.io`. A kind of another program may hold or make any object.
 */
function isKnown(object: KubernetesObject): boolean {
  const [group = ""] = object.apiVersion.split("/");
  return !group.includes(".") || group.endsWith(".k8s.io") || isHubrelays(object);
}

/** Counts objects by their kind. */
export const countedKinds = (objects: readonly KubernetesObject[]): readonly Counted[] =>
  objects.map(({ kind }) => ({ what: kind, count: 1 }));

/** Returns kinds of objects as unread. */
export const unreadKinds = (objects: readonly KubernetesObject[]): readonly Unread[] =>
  countedKinds(objects).map((one) => ({ ...one, why: "kind" }));

/**
 * Returns the coverage of a result that follows from objects of these kinds. Other objects are unread if their effect is not
 * known.
 */
export function inputCoverage(
  { objects, nodeFiles = [], unread, issues, assumed }: Input,
  kinds: readonly Kind[],
): Coverage {
  const isRead = isOneOf(kinds);
  const others = objects.filter((object) => !isRead(object) && !isKnown(object));
  return coverageOf({
    read: [
      ...countedKinds(objects.filter(isRead)),
      ...nodeFiles.map(({ path }) => ({ what: path, count: 1 })),
    ],
    unread: [...unread, ...unreadKinds(others), ...unreadOfIssues(issues)],
    assumed,
  });
}
