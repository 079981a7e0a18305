import { sentence } from "../../credentials/redact.ts";
import { traceKinds } from "./expected-objects.ts";
import { guardedConfigPolicy, guardsIngresses } from "./ingress-rule.ts";
import { lacksRouter, othersInBundle, rootBundle, routerAuthority } from "./root-bundle.ts";
import { type CapabilityTraces, findObject, type Trace } from "./trace.ts";

function guardTraces({ disabled, guest }: CapabilityTraces): readonly Trace[] {
  const policy =
    guest && findObject(guest, traceKinds.ValidatingAdmissionPolicy, guardedConfigPolicy, undefined);
  const isGuarded = policy && guardsIngresses(policy);
  const isEnabled = !disabled.includes("Ingress");
  if (isGuarded === undefined || isGuarded === isEnabled) return [];
  const what = `ValidatingAdmissionPolicy/${guardedConfigPolicy} ingresses`;
  return [
    {
      kind: isEnabled ? "missing" : "leftover",
      capability: "Ingress",
      what,
      message: isEnabled
        ? "the guest's admission policy config does not guard ingresses, though Ingress is enabled"
        : "the guest's admission policy config guards ingresses, though Ingress is disabled",
      remedy: "The hosted-cluster-config operator writes it; check its log.",
    },
  ];
}

function bundleTraces({ disabled, controlPlane, controlPlaneNamespace }: CapabilityTraces): readonly Trace[] {
  const configMap = (name: string) =>
    findObject(controlPlane, traceKinds.ConfigMap, name, controlPlaneNamespace);
  const bundle = configMap(rootBundle);
  const others = othersInBundle(bundle);
  const isEnabled = !disabled.includes("Ingress");
  if (isEnabled ? !lacksRouter(bundle, configMap(routerAuthority)) : others === 0) return [];
  const what = sentence`ConfigMap/${controlPlaneNamespace}/${rootBundle} ca.crt`;
  return [
    {
      kind: isEnabled ? "missing" : "leftover",
      capability: "Ingress",
      what,
      message: isEnabled
        ? sentence`${what} lacks the authority of the default router, which ConfigMap/${controlPlaneNamespace}/${routerAuthority} has`
        : sentence`${what} trusts more than the control plane's own authority (${others} more), though Ingress is disabled`,
      remedy: "The control-plane operator writes it; check its log.",
    },
  ];
}

/** Returns what is left or missing of Ingress inside objects that exist with and without it. */
export function ingressTraces(traces: CapabilityTraces): readonly Trace[] {
  return [...guardTraces(traces), ...bundleTraces(traces)];
}
