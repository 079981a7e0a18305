import pMap, { pMapSkip } from "p-map";
import { authoritiesPermission } from "#functions/hosted-clusters/snapshot/access-issues.ts";
import type { HubInspection, ServiceAccount } from "#shared/adapters/hub/kubernetes/inspection.ts";
import { someOf } from "#shared/domain/json/values.ts";
import { type Access, accessText } from "#shared/domain/kubernetes/access.ts";
import { grantsOf, type RbacManifest } from "#shared/domain/kubernetes/roles.ts";
import { imageConfigNamespace } from "#shared/registry/well-known-names.ts";
import type { LeaseName } from "#shared/runtime/forwarder/lease.ts";
import { UsageError } from "../../../program/exit-codes.ts";
import { applyCommand } from "../../../program/package-files.ts";
import { type Check, note, ok, problem } from "./check.ts";

const prefix = "hubrelay-";
const leases = { group: "coordination.k8s.io", resource: "leases" } as const;

/** An account of a deployment, with the permissions that its processes need. */
export type NeededAccess = Readonly<{
  /** `forwarder`, `mirror-config`, … */
  name: string;
  namespace: string;
  accesses: readonly Access[];
}>;

/** Returns the permissions of each account, or of each named one, read from the roles. */
export function neededAccess(
  manifests: readonly RbacManifest[],
  names: readonly string[] = [],
): readonly NeededAccess[] {
  const all = manifests.flatMap((manifest): NeededAccess[] => {
    if (manifest.kind !== "ServiceAccount") return [];
    const { name, namespace = "" } = manifest.metadata;
    const distinct = new Map(grantsOf(name, manifests).map((access) => [accessText(access), access]));
    return [{ name: name.replace(prefix, ""), namespace, accesses: [...distinct.values()] }];
  });
  const unknown = names.find((name) => !all.some((known) => known.name === name));
  if (unknown !== undefined)
    throw new UsageError(
      `no such account: ${unknown}; known accounts: ${all.map(({ name }) => name).join(", ")}.`,
    );
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

/** Replaces the Lease of the roles with this one, for a forwarder that is configured with another Lease. */
export function withLease(
  needed: readonly NeededAccess[],
  { namespace, name }: LeaseName,
): readonly NeededAccess[] {
  const inLease = (access: Access): Access => {
    // A Lease that is held is in a namespace; a list of all namespaces' is none.
    if (!access.namespace || access.group !== leases.group || access.resource !== leases.resource)
      return access;
    return { ...access, namespace, ...(access.name ? { name } : {}) };
  };
  return needed.map((account) => ({ ...account, accesses: account.accesses.map(inLease) }));
}

/**
 * Returns the hub with each review sent once: most accounts of a deployment need what another one needs, and all of
 * them are reviewed for the same caller.
 */
export function reviewedOnce(hub: HubInspection): HubInspection {
  const reviews = new Map<string, Promise<boolean>>();
  return {
    ...hub,
    isAllowed(access, account) {
      const key = JSON.stringify([accessText(access), account]);
      const review = reviews.get(key) ?? hub.isAllowed(access, account);
      reviews.set(key, review);
      return review;
    },
  };
}

/** Access reviews in flight at the same time. */
const reviewsAtOnce = 10;

const accountOf = ({ name, namespace }: NeededAccess): ServiceAccount => ({
  namespace,
  name: `${prefix}${name}`,
});

/** Returns which of the permissions the caller, or with `asAccount` the account, does not have. */
export async function refusedOf(
  hub: Pick<HubInspection, "isAllowed">,
  needed: NeededAccess,
  asAccount: boolean,
): Promise<readonly Access[]> {
  const account = asAccount ? accountOf(needed) : undefined;
  const review = async (access: Access) => ((await hub.isAllowed(access, account)) ? pMapSkip : access);
  return pMap(needed.accesses, review, { concurrency: reviewsAtOnce });
}

/** Checks that the caller, or with `asAccount` the account, has all permissions of the account's processes. */
export async function accessCheck(
  hub: HubInspection,
  needed: NeededAccess,
  { asAccount, user }: Readonly<{ asAccount: boolean; user: string }>,
): Promise<Check> {
  const { name, namespace, accesses } = needed;
  const refused = await refusedOf(hub, needed, asAccount);
  const who = asAccount ? `ServiceAccount ${namespace}/${prefix}${name}` : user;
  const title = `access of ${name}`;
  if (refused.length === 0) return ok(title, `${who} has all ${accesses.length} permissions.`);
  const remedy = asAccount
    ? `Apply roles and bindings of the same version as hubrelay: ${applyCommand("infra/hub-rbac")}.`
    : `Use a kubeconfig of the ServiceAccount ${namespace}/${prefix}${name}, after ${applyCommand("infra/hub-rbac")}.`;
  return problem(title, `${who} may not ${someOf(refused.map(accessText))}.`, remedy);
}

const authoritiesTitle = "authorities";

/**
 * Checks that the caller, or with `asAccount` the account of hosted-clusters, may read the registry certificate
 * authorities that the Image configuration names. Only an administrator can grant this, since the name is not fixed.
 */
export async function authoritiesCheck(
  hub: HubInspection,
  configMap: string | undefined,
  needed: NeededAccess,
  asAccount: boolean,
): Promise<Check> {
  if (configMap === undefined)
    return ok(authoritiesTitle, "Image cluster names no registry certificate authorities.");
  const where = `ConfigMap ${imageConfigNamespace}/${configMap}`;
  const access = {
    verb: "get",
    group: "",
    resource: "configmaps",
    namespace: imageConfigNamespace,
    name: configMap,
  };
  return (await hub.isAllowed(access, asAccount ? accountOf(needed) : undefined))
    ? ok(authoritiesTitle, `The ${where} may be read.`)
    : note(
        authoritiesTitle,
        `The ${where} may not be read: hosted-clusters does not trust registries whose certificates only it signs.`,
        authoritiesPermission(configMap),
      );
}
