import { type KubernetesObject, namespacedKind } from "#shared/domain/kubernetes/object.ts";
import { type Check, note, ok } from "./check.ts";

/** The Prometheus of OpenShift that reads PodMonitors and PrometheusRules of users' projects. */
export const userWorkloadPrometheus = {
  kind: namespacedKind("monitoring.coreos.com/v1", "Prometheus"),
  namespace: "openshift-user-workload-monitoring",
  name: "user-workload",
} as const;

/**
 * Checks that OpenShift monitors users' projects: otherwise the hub accepts hubrelay's alerts, and nothing evaluates them.
 */
export function monitoringCheck(prometheus: KubernetesObject | undefined): Check {
  const title = "monitoring";
  return prometheus
    ? ok(title, "OpenShift monitors user-defined projects.")
    : note(
        title,
        "OpenShift does not monitor user-defined projects: it has neither metrics nor alerts of hubrelay.",
        "Set enableUserWorkload: true in the ConfigMap cluster-monitoring-config of the namespace openshift-monitoring.",
      );
}
