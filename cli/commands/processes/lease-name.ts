import type { LeaseName } from "#shared/runtime/lease.ts";

/** The leader election Lease of a deployment's forwarders; `infra/hub-rbac` grants access to it. */
export const deployedLease: LeaseName = { namespace: "hubrelay", name: "hubrelay-forwarder" };

/** Parses `namespace/name`; returns undefined for anything else. */
export function parseLeaseName(text: string): LeaseName | undefined {
  const [, namespace, name] = /^([a-z0-9][-a-z0-9]*)\/([a-z0-9][-.a-z0-9]*)$/.exec(text) ?? [];
  return namespace && name ? { namespace, name } : undefined;
}
