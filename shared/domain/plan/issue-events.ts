import { explanation, type Issue } from "../issues/issue.ts";
import { displayName, type KubernetesObject, referenceTo } from "../kubernetes/object.ts";
import type { ObjectEvent } from "./object-events.ts";

/** Returns one Kubernetes Event for each issue, on the object to edit. */
export function issueEvents(
  issues: readonly Issue[],
  objects: readonly KubernetesObject[],
): readonly ObjectEvent[] {
  const sameField = Map.groupBy(issues, ({ code, object, path }) => JSON.stringify([code, object, path]));
  const isOnly = ({ code, object, path }: Issue) =>
    sameField.get(JSON.stringify([code, object, path]))?.length === 1;
  const byName = new Map(objects.map((object) => [displayName(referenceTo(object)), object]));
  return issues.flatMap((issue): ObjectEvent[] => {
    const regarding = byName.get(displayName(issue.object));
    if (!regarding) return [];
    return [
      {
        regarding,
        type: "Warning",
        reason: issue.code,
        message: `${issue.path}: ${explanation(issue)}`,
        distinction: isOnly(issue) ? issue.path : `${issue.path} ${JSON.stringify(issue.value)}`,
      },
    ];
  });
}
