import { setTimeout as sleep } from "node:timers/promises";
import type { OpenHub } from "#shared/adapters/hub/open-hub.ts";
import { runUntil } from "#shared/adapters/network/requests.ts";
import { type Access, accessText, allows } from "#shared/domain/kubernetes/access.ts";
import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import { describeError } from "#shared/ports/port-error.ts";
import { deployedLease, type LeaseName } from "#shared/runtime/forwarder/lease-candidate.ts";
import {
  hubRbacManifests,
  type NeededAccess,
  neededAccess,
  refusedOf,
  withLease,
} from "../doctor/checks/access-rows.ts";

/** The name of the forwarder's account. */
export const forwarderAccount = "forwarder";

const reviewMs = { missing: 5_000, complete: 300_000 };

/** Cluster-wide rights are reviewed here. RoleBindings in this namespace would make missing rights look present. */
const elsewhere = "default";

/** Rights to read are not reviewed: functions without them have less to do, or fail. */
const isRequired = ({ verb }: Access) => verb !== "get" && verb !== "list";

async function refusedTo(
  account: NeededAccess,
  { isAllowed, grantsIn }: Pick<OpenHub, "isAllowed" | "grantsIn">,
): Promise<readonly Access[]> {
  if (!isAllowed || !grantsIn) return [];
  const byNamespace = Map.groupBy(
    account.accesses.filter(isRequired),
    ({ namespace = elsewhere }) => namespace,
  );
  const unlisted: Access[] = [];
  for (const [namespace, accesses] of byNamespace) {
    const grants = await grantsIn(namespace);
    // A right that the hub lists needs no request of its own.
    const isListed = (access: Access) =>
      grants.some((grant) => allows({ ...grant, namespace }, { ...access, namespace }));
    unlisted.push(...accesses.filter((access) => !isListed(access)));
  }
  return refusedOf({ isAllowed }, { ...account, accesses: unlisted }, false);
}

/**
 * Reviews a process's rights until the signal aborts: a standby has no other way to notice missing rights. `notReady`
 * returns sentences about missing rights; undefined if there are none.
 */
export function reviewedRights(
  parts: readonly string[],
  {
    hubOf,
    lease = deployedLease,
    signal,
  }: Readonly<{
    hubOf(part: string): Pick<OpenHub, "isAllowed" | "grantsIn">;
    lease?: LeaseName | undefined;
    signal: AbortSignal;
  }>,
): Readonly<{ notReady(): string | undefined }> {
  let problem: string | undefined;

  async function missingRights(): Promise<readonly string[]> {
    const needed = withLease(neededAccess(await hubRbacManifests(), parts), lease);
    const missing: string[] = [];
    for (const account of needed) {
      const refused = await refusedTo(account, hubOf(account.name));
      if (refused.length > 0) missing.push(`${account.name} may not ${someOf(refused.map(accessText))}.`);
    }
    return missing;
  }

  async function review(): Promise<void> {
    while (!signal.aborted) {
      problem = await missingRights().then((missing) => missing.join(" ") || undefined, describeError);
      await sleep(problem ? reviewMs.missing : reviewMs.complete, undefined, { signal }).catch(
        () => undefined,
      );
    }
  }

  if (parts.some((part) => hubOf(part).isAllowed)) {
    problem = "The hub was not asked yet what it permits.";
    void runUntil(signal, review);
  }
  return { notReady: () => problem };
}
