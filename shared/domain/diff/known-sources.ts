import { contentSourcesAnnotation } from "../hosted-clusters/content-sources.ts";
import { isKind, type KubernetesObject } from "../kubernetes/object.ts";
import { mirrorRuleKinds } from "../mirrors/input/mirror-kinds.ts";

type Objects = readonly KubernetesObject[];

/**
 * Returns the objects without hosted clusters whose `spec.imageContentSources` hubrelay derives, if `all` have no mirrors:
 * then nothing is known of what it derives.
 */
export function withKnownSources(objects: Objects, all: Objects): Objects {
  const hasMirrors = all.some((object) => mirrorRuleKinds.some((kind) => isKind(kind, object)));
  return hasMirrors
    ? objects
    : objects.filter(({ metadata }) => metadata.annotations?.[contentSourcesAnnotation] === undefined);
}
