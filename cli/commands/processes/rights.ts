import { setTimeout as sleep } from "node:timers/promises";
import { runUntil } from "#shared/adapters/network/batch-signal.ts";
import { type Access, accessText } from "#shared/domain/kubernetes/access.ts";
import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import { describeError } from "#shared/ports/port-error.ts";
import { deployedLease, type LeaseName } from "#shared/runtime/forwarder/lease.ts";
import { neededAccess, refusedOf, withLease } from "../doctor/checks/access-rows.ts";
import { hubRbacManifests } from "../doctor/checks/hub-roles.ts";
import type { OpenedHub } from "./forwarding.ts";

/** The name of the forwarder among accounts. */
export const forwarderAccount = "forwarder";

/** How long to wait before rights are reviewed again: those that were missing, and those that were not. */
const reviewMs = { missing: 5_000, complete: 300_000 };

/** Functions do what they can without some reads; what they have to read is refused to them when they do. */
const isRequired = ({ verb }: Access) => verb !== "get" && verb !== "list";

/**
 * Reviews until the signal aborts whether parts of the process, each with its hub, have the rights of their accounts in
 * `infra/hub-rbac` to watch and to write. A process that stands by has no other way to notice that it could not work.
 */
export function reviewedRights(
  parts: readonly string[],
  {
    hubOf,
    lease = deployedLease,
    signal,
  }: Readonly<{ hubOf(part: string): OpenedHub; lease?: LeaseName | undefined; signal: AbortSignal }>,
): Readonly<{ notReady(): string | undefined }> {
  let problem: string | undefined;

  async function missingRights(): Promise<readonly string[]> {
    const needed = withLease(neededAccess(await hubRbacManifests(), parts), lease);
    const missing: string[] = [];
    for (const account of needed) {
      const { isAllowed } = hubOf(account.name);
      if (!isAllowed) continue;
      const accesses = account.accesses.filter(isRequired);
      const refused = await refusedOf({ isAllowed }, { ...account, accesses }, false);
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
