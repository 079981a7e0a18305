import { fieldsOf, isRecord, listOf } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

/* Behaviour: HyperShift's reconcileConfigValidatingAdmissionPolicy. The guest's admission policy `config`
   prevents its users from changing what the HostedCluster decides; it covers `ingresses` only with the
   capability Ingress. */

/** The ValidatingAdmissionPolicy in the guest. */
export const guardedConfigPolicy = "config";
const group = "config.openshift.io";
const resource = "ingresses";

function constraintsOf({ spec }: KubernetesObject): Readonly<Record<string, unknown>> {
  return fieldsOf(fieldsOf(spec).matchConstraints);
}

const isAboutConfig = (rule: unknown): rule is Readonly<Record<string, unknown>> =>
  isRecord(rule) && listOf(rule.apiGroups).includes(group);

function rulesOf(policy: KubernetesObject): readonly unknown[] {
  return listOf(constraintsOf(policy).resourceRules);
}

/** Reports whether the policy guards `ingresses` from users; undefined for a policy about something else. */
export function guardsIngresses(policy: KubernetesObject): boolean | undefined {
  const rules = rulesOf(policy).filter(isAboutConfig);
  return rules.length === 0 ? undefined : rules.some(({ resources }) => listOf(resources).includes(resource));
}

/** Returns the policy with or without `ingresses` in its rules; the same object if nothing changes. */
export function withIngressesGuarded(policy: KubernetesObject, isGuarded: boolean): KubernetesObject {
  const present = guardsIngresses(policy);
  if (present === undefined || present === isGuarded) return policy;
  const rules = rulesOf(policy);
  const first = rules.findIndex(isAboutConfig);
  const resourceRules = rules.map((rule, index) => {
    if (!isAboutConfig(rule)) return rule;
    const others = listOf(rule.resources).filter((name) => name !== resource);
    return { ...rule, resources: isGuarded && index === first ? [...others, resource] : others };
  });
  return {
    ...policy,
    spec: { ...fieldsOf(policy.spec), matchConstraints: { ...constraintsOf(policy), resourceRules } },
  };
}
