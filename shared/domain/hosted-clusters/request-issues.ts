import { flagIssues, takeOverAnnotation } from "../issues/annotation-choice.ts";
import type { Issue } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { contentSourcesIssues } from "./content-sources.ts";
import { hubMirrorsIssues } from "./hub-mirrors.ts";
import { fromMirrorsIssues } from "./olm-catalogs/default-catalogs.ts";

/** Returns the errors about annotations of a HostedCluster by which users request something from hubrelay. */
export function requestIssues(hostedCluster: KubernetesObject): readonly Issue[] {
  return [
    ...flagIssues(hostedCluster, takeOverAnnotation),
    ...fromMirrorsIssues(hostedCluster),
    ...contentSourcesIssues(hostedCluster),
    ...hubMirrorsIssues(hostedCluster),
  ];
}
