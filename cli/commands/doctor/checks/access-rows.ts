import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pMap, { pMapSkip } from "p-map";
import { parse, parseAllDocuments } from "yaml";
import * as z from "zod";
import type { HubInspection } from "#shared/adapters/hub/kubernetes/inspection.ts";
import { type Access, accessText } from "#shared/domain/kubernetes/access.ts";
import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import { grantsOf, parseRbacManifest, type RbacManifest } from "#shared/domain/kubernetes/roles.ts";
import type { LeaseName } from "#shared/runtime/forwarder/lease-candidate.ts";
import { chosenByName } from "../../../program/option-values.ts";
import { applyCommand, packageFile } from "../../../program/package-files.ts";
import { ok, problem, type Verdict } from "./check.ts";

const folder = packageFile("infra/hub-rbac");

async function hubRbacDocuments(): Promise<readonly unknown[]> {
  const { resources } = z
    .object({ resources: z.array(z.string()) })
    .parse(parse(await readFile(join(folder, "kustomization.yaml"), "utf8")));
  const files = await Promise.all(resources.map((name) => readFile(join(folder, name), "utf8")));
  return files.flatMap((text) => parseAllDocuments(text).map((document): unknown => document.toJS()));
}

/** Returns the objects of `infra/hub-rbac`, which define permissions on a hub. Throws for an invalid object. */
export async function hubRbacManifests(): Promise<readonly RbacManifest[]> {
  return (await hubRbacDocuments()).map((document) => parseRbacManifest(document));
}

const prefix = "hubrelay-";

/** An account of a deployment, with the permissions that its processes need. */
export type NeededAccess = Readonly<{
  /** The account's name without `hubrelay-`, such as `forwarder`. */
  name: string;
  namespace: string;
  accesses: readonly Access[];
}>;

/** Returns the permissions that the roles grant to each account or, with `names`, to these accounts. */
export function neededAccess(
  manifests: readonly RbacManifest[],
  names?: readonly string[],
): readonly NeededAccess[] {
  const all = manifests.flatMap((manifest): NeededAccess[] => {
    if (manifest.kind !== "ServiceAccount") return [];
    const { name, namespace = "" } = manifest.metadata;
    const distinct = new Map(grantsOf(name, manifests).map((access) => [accessText(access), access]));
    return [{ name: name.replace(prefix, ""), namespace, accesses: [...distinct.values()] }];
  });
  return chosenByName("account", all, names);
}

/** Returns the permissions with the forwarder's Lease in place of the Lease that the roles name. */
export function withLease(needed: readonly NeededAccess[], lease: LeaseName): readonly NeededAccess[] {
  const inLease = (access: Access): Access => {
    // A permission for the Leases of all namespaces names no Lease, so it stays unchanged.
    if (!access.namespace || access.group !== "coordination.k8s.io" || access.resource !== "leases")
      return access;
    return { ...access, namespace: lease.namespace, ...(access.name ? { name: lease.name } : {}) };
  };
  return needed.map((account) => ({ ...account, accesses: account.accesses.map(inLease) }));
}

type Caller = Readonly<{ asAccounts: boolean; user: string }>;

type Reviews = Pick<HubInspection, "isAllowed">;

const reviewsAtOnce = 10;

/** Returns the permissions that the hub refuses to the caller or, with `asAccounts`, to the account. */
export function refusedOf(
  hub: Reviews,
  { name, namespace, accesses }: NeededAccess,
  asAccounts: boolean,
): Promise<readonly Access[]> {
  const account = asAccounts ? { namespace, name: `${prefix}${name}` } : undefined;
  const review = async (access: Access) => ((await hub.isAllowed(access, account)) ? pMapSkip : access);
  return pMap(accesses, review, { concurrency: reviewsAtOnce });
}

/** Judges whether the caller or, with `asAccounts`, the account has all permissions that it needs. */
export function accessVerdict(
  { name, namespace, accesses }: NeededAccess,
  refused: readonly Access[],
  { asAccounts, user }: Caller,
): Verdict {
  const account = `ServiceAccount ${namespace}/${prefix}${name}`;
  const who = asAccounts ? account : user;
  const roles = applyCommand("infra/hub-rbac");
  const remedy = asAccounts
    ? `Apply roles and bindings of the same version as hubrelay: ${roles}.`
    : `Use a kubeconfig of the ${account}, after ${roles}.`;
  const verdict =
    refused.length === 0
      ? ok(`${who} has all ${accesses.length} permissions.`)
      : problem(`${who} may not ${someOf(refused.map(accessText))}.`, remedy);
  return { ...verdict, name: `access of ${name}` };
}
