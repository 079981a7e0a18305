import type { LeaseName } from "#shared/runtime/lease.ts";

/** The Lease that a deployment's forwarders take turns with; `infra/hub-rbac` lets them. */
export const deployedLease: LeaseName = { namespace: "hubrelay", name: "hubrelay-forwarder" };

/** Reads `namespace/name`; undefined when it is not that. */
export function parseLeaseName(text: string): LeaseName | undefined {
  const [, namespace, name] = /^([a-z0-9][-a-z0-9]*)\/([a-z0-9][-.a-z0-9]*)$/.exec(text) ?? [];
  return namespace && name ? { namespace, name } : undefined;
}
