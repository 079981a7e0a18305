import { ownValue } from "../kubernetes/json/values.ts";
import { type KubernetesObject, kindOf } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import { annotationIssue, type Issue } from "./issue.ts";
import { nearestName } from "./nearest-name.ts";

/** If this annotation of a MachineConfigPool or HostedCluster is `"true"`, hubrelay writes the configuration. */
export const takeOverAnnotation = "hubrelay.dev/take-over";

/** Returns the reason why hubrelay verifies a configuration but does not write it, and the command to change that. */
export function notHandedOver({ kind, metadata: { name, namespace } }: KubernetesObject): string {
  const within = namespace === undefined ? "" : sentence` -n ${namespace}`;
  return sentence`no other writer was found (to have hubrelay write, run: kubectl annotate ${kind.toLowerCase()} ${name}${within} ${takeOverAnnotation}=true)`;
}

const flags = ["true", "false"] as const;

/** Returns the error about an annotation whose value is not one of `choices`; none if the annotation is absent. */
export function choiceIssues(
  object: KubernetesObject,
  annotation: string,
  choices: readonly string[],
): readonly Issue[] {
  const value = ownValue(object.metadata.annotations, annotation);
  if (value === undefined || choices.includes(value)) return [];
  return [
    annotationIssue(object, annotation, {
      code: "InvalidAnnotation",
      message: sentence`${annotation} is ${value}, which is not a valid value`,
      remedy: sentence`Write ${choices.join(" or ")}, or remove the annotation.`,
    }),
  ];
}

/** Returns the error about an annotation that is neither `"true"` nor `"false"`; none if the annotation is absent. */
export function flagIssues(object: KubernetesObject, annotation: string): readonly Issue[] {
  return choiceIssues(object, annotation, flags).map((issue) => ({
    ...issue,
    remedy: 'Write "true", or remove the annotation.',
  }));
}

const prefix = "hubrelay.dev/";

const setByPeople = [
  "bandwidth",
  "check",
  "check-before",
  "enable-after-precaching",
  "maintenance-window",
  "max-cost",
  "max-per-registry",
  "max-per-site",
  "olm-catalogs",
  "parallel-pulls",
  "precaching",
  "require-ready",
  "retry",
  "simulate",
  "site-label",
  "take-over",
];
const setByHubrelay = [
  "cgu",
  "correlation-id",
  "decided-from",
  "heartbeat",
  "observed",
  "outcomes",
  "outcomes-owed-since",
  "owned-by",
  "process",
  "release-repositories",
  "waits-for",
  "workload-image",
];

/** The names of all annotations of hubrelay. */
export const knownAnnotations: readonly string[] = [...setByPeople, ...setByHubrelay].map(
  (name) => `${prefix}${name}`,
);

/** Returns a warning for each unknown annotation with hubrelay's prefix, on objects of kinds that hubrelay reads. */
export function unknownAnnotations(object: KubernetesObject): readonly Issue[] {
  if (!kindOf(object)) return [];
  return Object.keys(object.metadata.annotations ?? {})
    .filter((name) => name.startsWith(prefix) && !knownAnnotations.includes(name))
    .map((name) => {
      const nearest = nearestName(name.slice(prefix.length), setByPeople);
      return annotationIssue(object, name, {
        code: "UnknownAnnotation",
        severity: "warning",
        message: "hubrelay has no such annotation, so that it has no effect.",
        remedy: nearest
          ? sentence`Write ${prefix}${nearest}, or remove it.`
          : "Remove it, or correct its name.",
      });
    });
}
