import { isRecord } from "../../../json/values.ts";
import type { KubernetesObject } from "../../../kubernetes/object.ts";

/** Why the order of policies cannot be kept: one depends on another that comes later. In TALM's words. */
export function dependencyProblem(policies: readonly KubernetesObject[]): string | undefined {
  const placeOf = (name: unknown, namespace: unknown): number =>
    policies.findIndex(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  for (const [place, { metadata, spec }] of policies.entries()) {
    const dependencies: unknown = isRecord(spec) ? spec.dependencies : undefined;
    for (const dependency of Array.isArray(dependencies) ? dependencies : []) {
      const { name, namespace } = isRecord(dependency) ? dependency : {};
      if (placeOf(name, namespace) > place)
        return `Managed Policy ${metadata.name} depends on ${String(name)}, which is to be remediated later`;
    }
  }
  return undefined;
}
