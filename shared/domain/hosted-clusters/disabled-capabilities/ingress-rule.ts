import { fieldsOf, isRecord, listOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

/* Behaviour: HyperShift's ReconcileRootCAConfigMap. Pods of the control plane trust the control plane's own
   authority, and with the capability Ingress also that of the guest's default router. */

/** The ConfigMap of authorities in the control plane's namespace. */
export const rootBundle = "root-ca";
/** The authority of the guest's default router, copied to the control plane's namespace. */
export const routerAuthority = "observed-default-ingress-cert";
const file = "ca.crt";

const certificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

function certificatesIn(configMap: KubernetesObject | undefined): readonly string[] {
  const text = fieldsOf(configMap?.data)[file];
  return typeof text === "string" ? (text.match(certificate) ?? []).map((one) => one.replace(/\s/g, "")) : [];
}

/** Returns how many authorities the bundle has besides the control plane's own, which is the first. */
export function othersInBundle(bundle: KubernetesObject | undefined): number {
  return Math.max(0, certificatesIn(bundle).length - 1);
}

/** Returns true if the router's authority exists and is not in the bundle. */
export function lacksRouter(
  bundle: KubernetesObject | undefined,
  router: KubernetesObject | undefined,
): boolean {
  const trusted = certificatesIn(bundle);
  return bundle !== undefined && certificatesIn(router).some((one) => !trusted.includes(one));
}

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
