import { EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { startingSettings } from "#shared/adapters/settings/planning-settings.ts";
import { fieldsOf } from "#shared/domain/json/values.ts";
import { clusterKind, type KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { noWorkloadImage } from "#shared/domain/precache/model/workload-image.ts";
import type { PlanningSettings } from "#shared/domain/precache/plan/plan-input.ts";
import { applyCommand } from "../../../program/package-files.ts";
import { type Check, note, ok, problem } from "./check.ts";

/** The name of the check. */
export const guardTitle = "pre-caching guard";
const title = guardTitle;
/** The binding of the admission policy that reads the deployment's settings for pre-caching. */
export const guardBinding = {
  kind: clusterKind("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding"),
  name: "hubrelay-precache-image",
};

/** Returns the ConfigMap that the policy reads. */
export function guardParameter(
  binding: KubernetesObject | undefined,
): Readonly<{ name: string; namespace: string }> | undefined {
  const { paramRef } = fieldsOf(binding?.spec);
  const { name, namespace } = fieldsOf(paramRef);
  return typeof name === "string" && typeof namespace === "string" ? { name, namespace } : undefined;
}

/** Checks that the policy on ManifestWorks finds its settings, and that the functions start with them. */
export function guardCheck(
  binding: KubernetesObject | undefined,
  configMap: KubernetesObject | undefined,
): Check {
  const parameter = guardParameter(binding);
  if (!parameter)
    return note(
      title,
      `The hub has no admission policy ${guardBinding.name}: whoever has a function's token is root on every cluster.`,
      `Nothing to do where hubrelay does not pre-cache. Else run ${applyCommand("infra/hub-rbac")}.`,
    );
  const where = `ConfigMap ${parameter.namespace}/${parameter.name}`;
  if (!configMap)
    return problem(
      title,
      `The admission policy ${guardBinding.name} reads the ${where}, which does not exist: no ManifestWork of pre-caching is accepted.`,
      `Apply your overlay again, or create it with the values of the functions: kubectl -n ${parameter.namespace} create configmap ${parameter.name} --from-literal=HUBRELAY_PRECACHE_PROFILE=… --from-literal=HUBRELAY_WORKLOAD_IMAGE=… --from-literal=HUBRELAY_INDEX_REPOSITORIES=…`,
    );
  const data = Object.entries(fieldsOf(configMap.data));
  const settings = Object.fromEntries(
    data.filter((one): one is [string, string] => typeof one[1] === "string"),
  );
  try {
    return settingsCheck(where, startingSettings(settings));
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    return problem(title, ...foundAndRemedy(where, error.message));
  }
}

function foundAndRemedy(where: string, message: string): [found: string, remedy: string] {
  const [found = "", fix = "correct it."] = message.split(/ Fix: /);
  return [`${where}: ${found}`, `In the functions' settings as well: ${fix}`];
}

function settingsCheck(
  where: string,
  { profile, workloadImage, indexRepositories, isOff }: PlanningSettings,
): Check {
  if (isOff) {
    const [found, remedy] = foundAndRemedy(where, noWorkloadImage);
    return note(title, found, `${remedy} Nothing to do where hubrelay is not to pre-cache.`);
  }
  if (profile === "standard")
    return ok(title, `The ${where} has the profile standard: works may run any image.`);
  const works = `The ${where} has the profile hardened: works run ${workloadImage}`;
  return indexRepositories.length > 0
    ? ok(title, `${works}, and read catalogs of ${indexRepositories.join(", ")}.`)
    : note(
        title,
        `${works}. HUBRELAY_INDEX_REPOSITORIES is empty: no catalog is pre-cached.`,
        "Name the repositories of your index images there and in the functions' settings; nothing to do without operators.",
      );
}
