import { fieldsOf } from "../../json/values.ts";
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
