import { choiceIssues, flagIssues, takeOverAnnotation } from "../issues/annotations.ts";
import { annotationIssue, type Issue } from "../issues/issue.ts";
import { ownValue } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import { contentSourcesIssues } from "./content-sources.ts";
import { fromMirrorsIssues } from "./olm-catalogs/default-catalogs.ts";

/** Set on a HostedCluster by a user whose control plane must not use the management cluster's mirrors. */
export const hubMirrorsAnnotation = "hubrelay.dev/keep-hub-mirrors-from";
const choices = ["control-plane"] as const;

/** Returns true if the control plane of a hosted cluster that hubrelay writes gets none of the hub's mirrors. */
export function keepsHubMirrors({ metadata }: KubernetesObject): boolean {
  return ownValue(metadata.annotations, hubMirrorsAnnotation) === choices[0];
}

/** Returns the error about an annotation with another value. */
export function hubMirrorsIssues(hostedCluster: KubernetesObject): readonly Issue[] {
  return choiceIssues(hostedCluster, hubMirrorsAnnotation, choices);
}

/**
 * Returns the warning about the annotation on a hosted cluster of HyperShift, which has no such switch: a user has asked for
 * one in openshift/hypershift, issue 6205, open in November 2026.
 */
export function passedOnIssues(hostedCluster: KubernetesObject): readonly Issue[] {
  if (!keepsHubMirrors(hostedCluster)) return [];
  return [
    annotationIssue(hostedCluster, hubMirrorsAnnotation, {
      code: "HubMirrorsPassedOn",
      severity: "warning",
      message: sentence`HyperShift has no switch for this: it passes the management cluster's mirrors on to every control plane`,
      remedy: "Remove the annotation, or make sure that every mirror has the images of this hosted cluster.",
    }),
  ];
}

/** Returns the errors about annotations of a HostedCluster by which users request something from hubrelay. */
export function requestIssues(hostedCluster: KubernetesObject): readonly Issue[] {
  return [
    ...flagIssues(hostedCluster, takeOverAnnotation),
    ...fromMirrorsIssues(hostedCluster),
    ...contentSourcesIssues(hostedCluster),
    ...hubMirrorsIssues(hostedCluster),
  ];
}
