import { explanation, type Issue } from "#shared/domain/issue.ts";
import { displayName, type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import type { Report } from "#shared/domain/kubernetes/report.ts";

/** Who writes the Kubernetes Events of this function, and how they are found again. */
export const reportComponent = "hubrelay-mirror-config";
export const reportLabels = { "hubrelay.dev/function": "mirror-config" } as const;

/** One Kubernetes Event for each issue, on the object that a person has to edit. */
export function reportsOf(issues: readonly Issue[], objects: readonly KubernetesObject[]): readonly Report[] {
  const byName = new Map(objects.map((object) => [displayName(referenceTo(object)), object]));
  return issues.flatMap((issue): Report[] => {
    const regarding = byName.get(displayName(issue.object));
    if (!regarding) return [];
    return [
      {
        regarding,
        type: "Warning",
        reason: issue.code,
        message: `${issue.path}: ${explanation(issue)}`,
        distinction: issue.path,
      },
    ];
  });
}
