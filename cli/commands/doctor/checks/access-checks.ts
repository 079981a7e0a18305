import type { HubInspection, ServiceAccount } from "#shared/adapters/hub/kubernetes/inspection.ts";
import { type Access, accessText } from "#shared/domain/kubernetes/access.ts";
import { grantsOf, type RbacManifest } from "#shared/domain/kubernetes/roles.ts";
import type { LeaseName } from "#shared/runtime/lease.ts";
import { UsageError } from "../../../program/usage-error.ts";
import { type Check, ok, problem, someOf } from "./check.ts";

const prefix = "hubrelay-";
const leases = { group: "coordination.k8s.io", resource: "leases" } as const;

/** An account of a deployment: what its processes have to be allowed. */
export type NeededAccess = Readonly<{
  /** `forwarder`, `mirror-config`, … */
  name: string;
  namespace: string;
  accesses: readonly Access[];
}>;

/** What each account, or each that is named, needs: read from the roles themselves. */
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
      `There is no account ${unknown}; there is ${all.map(({ name }) => name).join(", ")}.`,
    );
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

/** The same with this Lease, where a forwarder was told to take another than that of the roles. */
export function withLease(
  needed: readonly NeededAccess[],
  { namespace, name }: LeaseName,
): readonly NeededAccess[] {
  const inLease = { namespace, ...leases };
  const wanted = [
    { ...inLease, verb: "create" },
    { ...inLease, verb: "get", name },
    { ...inLease, verb: "update", name },
  ];
  return needed.map((account) => {
    const others = account.accesses.filter(
      ({ group, resource }) => group !== leases.group || resource !== leases.resource,
    );
    const hasLease = others.length < account.accesses.length;
    return hasLease ? { ...account, accesses: [...others, ...wanted] } : account;
  });
}

/** Questions that are under way at the same time. */
const atOnce = 10;

/** The ServiceAccount itself. */
export const accountOf = ({ name, namespace }: NeededAccess): ServiceAccount => ({
  namespace,
  name: `${prefix}${name}`,
});

async function refusedOf(
  hub: HubInspection,
  needed: NeededAccess,
  asAccount: boolean,
): Promise<readonly Access[]> {
  const { accesses } = needed;
  const account = asAccount ? accountOf(needed) : undefined;
  const refused: Access[] = [];
  for (let start = 0; start < accesses.length; start += atOnce) {
    const some = accesses.slice(start, start + atOnce);
    const answers = await Promise.all(some.map((access) => hub.isAllowed(access, account)));
    refused.push(...some.filter((_, index) => !answers[index]));
  }
  return refused;
}

/** Whether the caller, or with `asAccount` the account itself, may do all that the account's processes do. */
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
    ? "Apply roles and bindings of the same version as hubrelay: kubectl apply -k infra/hub-rbac."
    : `Use a kubeconfig of the ServiceAccount ${namespace}/${prefix}${name}, after kubectl apply -k infra/hub-rbac.`;
  return problem(title, `${who} may not ${someOf(refused.map(accessText))}.`, remedy);
}
