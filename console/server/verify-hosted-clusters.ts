import { setImmediate } from "node:timers/promises";
import { hostedClusters } from "#functions/hosted-clusters/controller.ts";
import { ownershipOf } from "#shared/domain/hosted-clusters/ownership.ts";
import { type Kind, kinds, namespacedName } from "#shared/domain/kubernetes/object.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { HubError, type HubReader } from "#shared/ports/hub.ts";
import { type Verification, verificationOf } from "#shared/runtime/verify.ts";

/** What only registries can decide: without them the function would report it of every cluster. */
const needRegistries = ["CatalogsNotFound", "AuthoritiesForbidden"];

/**
 * Verifies the hosted clusters for which HyperShift writes, from the kinds that are read. All others, Secrets among
 * them, count as forbidden, so that the function reports what it does not know instead of what seems to be missing. A
 * hosted cluster for which hubrelay writes is left out: what it would write depends on more than that.
 */
export async function verifyHostedClusters(
  hub: HubReader,
  isRead: (kind: Kind) => boolean,
  now: () => Date,
): Promise<readonly Verification[]> {
  const reader: HubReader = {
    ...hub,
    async get(kind, ...rest) {
      if (!isRead(kind)) throw new HubError("Forbidden", `the console reads no ${kind.kind}`);
      return hub.get(kind, ...rest);
    },
  };
  const verifications: Verification[] = [];
  for (const object of await hub.list(kinds.HostedCluster)) {
    if (ownershipOf(object, undefined).mode === "own") continue;
    const key = namespacedName(object.metadata);
    const plan = await hostedClusters.plan({ hub: reader, key, now: now(), external: noExternalPorts });
    const verification = verificationOf(hostedClusters.name, key, plan);
    const issues = verification.issues.filter(({ code }) => !needRegistries.includes(code));
    verifications.push({ ...verification, issues });
    // Hundreds of them must not keep viewers waiting.
    await setImmediate();
  }
  return verifications;
}
