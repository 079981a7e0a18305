import { kinds } from "../domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "../domain/kubernetes/object.ts";
import { type Hub, isLostRace } from "../ports/hub.ts";

/** Where the Lease is, `namespace/name`. */
export type LeaseName = Readonly<{ namespace: string; name: string }>;

/**
 * What an attempt came to. `holder` is undefined when another candidate wrote at the same moment: the next
 * attempt will tell. `isNews` when the last attempt did not see this holder.
 */
export type Attempt = Readonly<
  { held: true } | { held: false; holder: undefined } | { held: false; holder: string; isNews: boolean }
>;

type LeaseSpec = Readonly<{
  holderIdentity: string;
  leaseDurationSeconds: number;
  leaseTransitions: number;
  acquireTime: string | undefined;
}>;

function specOf(lease: KubernetesObject): LeaseSpec {
  const { holderIdentity, leaseDurationSeconds, leaseTransitions, acquireTime } = Object(lease.spec);
  return {
    holderIdentity: typeof holderIdentity === "string" ? holderIdentity : "",
    leaseDurationSeconds: typeof leaseDurationSeconds === "number" ? leaseDurationSeconds : 0,
    leaseTransitions: typeof leaseTransitions === "number" ? leaseTransitions : 0,
    acquireTime: typeof acquireTime === "string" ? acquireTime : undefined,
  };
}

/** The API's MicroTime has six digits after the second. */
function microTime(now: Date): string {
  return now.toISOString().replace("Z", "000Z");
}

/**
 * A `coordination.k8s.io` Lease as one of its candidates sees it, with the rules of Kubernetes' own leader
 * election: the holder renews it; another may take it once it has not changed for its whole duration, by the
 * candidate's own clock, so that clocks need not agree. The resourceVersion on every write lets one of two
 * candidates win.
 */
export function leaseCandidate({
  hub,
  lease: { namespace, name },
  identity,
  durationMs,
  now,
  elapsedMs,
}: Readonly<{
  hub: Hub;
  lease: LeaseName;
  identity: string;
  durationMs: number;
  now: () => Date;
  /** A clock that nobody sets, in milliseconds. */
  elapsedMs: () => number;
}>) {
  let seen = { version: "", atMs: 0 };
  let lastHolder: string | undefined;

  function leaseWith(
    found: KubernetesObject | undefined,
    { holder, durationSeconds }: Readonly<{ holder: string; durationSeconds: number }>,
  ): KubernetesObject {
    const before = found && specOf(found);
    const isChange = before?.holderIdentity !== holder;
    const time = microTime(now());
    const metadata = found?.metadata ?? { namespace, name };
    const spec = {
      ...Object(found?.spec),
      holderIdentity: holder,
      leaseDurationSeconds: durationSeconds,
      acquireTime: isChange ? time : (before.acquireTime ?? time),
      renewTime: time,
      leaseTransitions: (before?.leaseTransitions ?? 0) + (before && isChange ? 1 : 0),
    };
    const { apiVersion, kind } = kinds.Lease;
    return { apiVersion, kind, metadata, spec };
  }

  /** Nobody's, one's own, or not renewed for as long as it lasts. */
  function isFree(found: KubernetesObject): boolean {
    const { holderIdentity, leaseDurationSeconds } = specOf(found);
    const version = found.metadata.resourceVersion ?? "";
    if (seen.version !== version) seen = { version, atMs: elapsedMs() };
    if (holderIdentity === "" || holderIdentity === identity) return true;
    return elapsedMs() - seen.atMs >= leaseDurationSeconds * 1000;
  }

  return {
    /** Takes the Lease, or renews it. Throws what the hub throws, lost races aside. */
    async hold(): Promise<Attempt> {
      const found = await hub.get(kinds.Lease, name, namespace);
      if (found && !isFree(found)) {
        const holder = specOf(found).holderIdentity;
        const isNews = holder !== lastHolder;
        lastHolder = holder;
        return { held: false, holder, isNews };
      }
      const durationSeconds = Math.ceil(durationMs / 1000);
      const wanted = leaseWith(found, { holder: identity, durationSeconds });
      try {
        await (found ? hub.update(wanted) : hub.create(wanted));
        lastHolder = identity;
        return { held: true };
      } catch (error) {
        if (!isLostRace(error)) throw error;
        return { held: false, holder: undefined };
      }
    },

    /** Gives the Lease back, so that the next need not wait for its end. */
    async release(): Promise<void> {
      const found = await hub.get(kinds.Lease, name, namespace);
      if (!found || specOf(found).holderIdentity !== identity) return;
      await hub.update(leaseWith(found, { holder: "", durationSeconds: 1 }));
    },
  };
}
