import { setImmediate } from "node:timers/promises";
import { hostedClusters } from "#functions/hosted-clusters/controller.ts";
import { ownershipOf } from "#shared/domain/hosted-clusters/ownership.ts";
import { type Kind, kinds, namespacedName } from "#shared/domain/kubernetes/object.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { HubError, type HubReader } from "#shared/ports/hub.ts";
import { type Verification, verificationOf } from "#shared/runtime/verify.ts";

/** Codes of issues that depend on registries: without registries, the function would report them for every cluster. */
const needRegistries = ["CatalogsNotFound", "AuthoritiesForbidden"];

/**
 * Verifies the hosted clusters whose configuration HyperShift writes. Reads only watched kinds. Other kinds, such as
 * Secrets, count as forbidden, so that the function reports unknown state instead of missing objects. Leaves out hosted
 * clusters whose configuration hubrelay writes: the configuration depends on more than the watched kinds.
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
    // Lets requests of viewers run: they must not wait for hundreds of clusters.
    await setImmediate();
  }
  return verifications;
}
