import { isRecord } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

/* Behaviour: HyperShift's ReconcileRootCAConfigMap. Pods of the control plane trust the control plane's own authority,
   and with the capability Ingress the one of the guest's default router as well. */

/** The ConfigMap of authorities in the control plane's namespace. */
export const rootBundle = "root-ca";
/** The authority of the guest's default router, as it is copied to the control plane's namespace. */
export const routerAuthority = "observed-default-ingress-cert";
const file = "ca.crt";

const certificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

function certificatesIn(configMap: KubernetesObject | undefined): readonly string[] {
  const text = isRecord(configMap?.data) ? configMap.data[file] : undefined;
  return typeof text === "string" ? (text.match(certificate) ?? []).map((one) => one.replace(/\s/g, "")) : [];
}

/** How many authorities the bundle has beside the control plane's own, which is the first. */
export function othersInBundle(bundle: KubernetesObject | undefined): number {
  return Math.max(0, certificatesIn(bundle).length - 1);
}

/** True when the router's authority is there, and not in the bundle. */
export function lacksRouter(
  bundle: KubernetesObject | undefined,
  router: KubernetesObject | undefined,
): boolean {
  const trusted = certificatesIn(bundle);
  return bundle !== undefined && certificatesIn(router).some((one) => !trusted.includes(one));
}
