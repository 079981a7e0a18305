import { setImmediate } from "node:timers/promises";
import { hostedClusters } from "#functions/hosted-clusters/controller.ts";
import { ownershipOf } from "#shared/domain/hosted-clusters/ownership.ts";
import { type Kind, kinds, namespacedName } from "#shared/domain/kubernetes/object.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { HubError, type HubReader } from "#shared/ports/hub.ts";
import { type Verification, verificationOf } from "#shared/runtime/verify.ts";

/** Codes of issues that are left out. All clusters would have these issues, since the console reads no registries. */
const needRegistries = ["CatalogsNotFound", "AuthoritiesForbidden"];

/**
 * Returns the verifications of hosted clusters, except those that hubrelay writes: they depend on more than the watched
 * kinds. Kinds for which `isRead` is false count as forbidden, so that their objects are unknown instead of missing.
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
    // Requests of viewers must not wait until hundreds of clusters are verified.
    await setImmediate();
  }
  return verifications;
}
