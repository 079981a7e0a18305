import { fieldsOf } from "../../domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "../../domain/kubernetes/object.ts";
import { type Hub, ifPermitted, isLostRace } from "../../ports/hub.ts";

export type LeaseName = Readonly<{ namespace: string; name: string }>;

/** The Lease of deployed forwarders. The roles in `infra/hub-rbac` grant access to it. */
export const deployedLease: LeaseName = { namespace: "hubrelay", name: "hubrelay-forwarder" };

/** The annotation of the Lease with the time of the forwarder's last heartbeat. */
export const heartbeatAnnotation = "hubrelay.dev/heartbeat";

/** Returns the last heartbeat that a Lease records; undefined if it records none. */
export function heartbeatOf(lease: KubernetesObject): Date | undefined {
  const time = Date.parse(lease.metadata.annotations?.[heartbeatAnnotation] ?? "");
  return Number.isNaN(time) ? undefined : new Date(time);
}

/** The annotation of the Lease with the time since which outcomes may be unpublished; empty if all are published. */
export const owedSinceAnnotation = "hubrelay.dev/outcomes-owed-since";

/** The annotation of the Lease with the command that its holder runs, `run` or `forward`. */
export const processAnnotation = "hubrelay.dev/process";

/** The duration of a released Lease in seconds, the same as in Kubernetes' own leader election. */
const releasedSeconds = 1;

/**
 * Returns the time since which outcomes of the last holder may be unpublished; undefined if there is no such time. If
 * the holder did not release the Lease, the time of its last renewal also counts: it may have been killed after a
 * write.
 */
export function owedSince(lease: KubernetesObject | undefined): Date | undefined {
  const { renewTime, holderIdentity, leaseDurationSeconds } = fieldsOf(lease?.spec);
  const isReleased = holderIdentity === "" && leaseDurationSeconds === releasedSeconds;
  const recorded = lease?.metadata.annotations?.[owedSinceAnnotation];
  const times = [isReleased ? undefined : renewTime, recorded].flatMap((text) =>
    typeof text === "string" && !Number.isNaN(Date.parse(text)) ? [Date.parse(text)] : [],
  );
  return times.length > 0 ? new Date(Math.min(...times)) : undefined;
}

type HoldingPod = Readonly<{ name: string; uid: string }>;

/** Returns the identity of a process in a Pod, from which other candidates read the Pod's name and uid. */
export const podIdentity = ({ name, uid }: HoldingPod): string => `${name}_pod-${uid}`;

function podOf(identity: string): HoldingPod | undefined {
  const [, name, uid] = /^([-.a-z0-9]+)_pod-([-a-z0-9]+)$/.exec(identity) ?? [];
  return name && uid ? { name, uid } : undefined;
}

/** The Pod object of an evicted Pod still exists, with one of these phases. */
const endedPhases: readonly unknown[] = ["Succeeded", "Failed"];
const podReadMs = 2_000;

/** Parses `namespace/name`; returns undefined for any other text. */
export function parseLeaseName(text: string): LeaseName | undefined {
  const [, namespace, name] = /^([a-z0-9][-a-z0-9]*)\/([a-z0-9][-.a-z0-9]*)$/.exec(text) ?? [];
  return namespace && name ? { namespace, name } : undefined;
}

/**
 * The result of an attempt to hold the Lease. `holder` is undefined if another candidate has just written the Lease.
 * `silentMs` is the time since this candidate last saw the Lease change.
 */
export type Attempt =
  | Readonly<{ held: true; found: KubernetesObject | undefined }>
  | Readonly<{ held: false; holder: undefined }>
  | Readonly<{
      held: false;
      found: KubernetesObject;
      holder: string;
      isNewHolder: boolean;
      silentMs: number;
    }>;

type LeaseSpec = Readonly<{
  holderIdentity: string;
  leaseDurationSeconds: number;
  leaseTransitions: number;
  acquireTime: string | undefined;
}>;

function specOf(lease: KubernetesObject): LeaseSpec {
  const { holderIdentity, leaseDurationSeconds, leaseTransitions, acquireTime } = fieldsOf(lease.spec);
  return {
    holderIdentity: typeof holderIdentity === "string" ? holderIdentity : "",
    leaseDurationSeconds: typeof leaseDurationSeconds === "number" ? leaseDurationSeconds : 0,
    leaseTransitions: typeof leaseTransitions === "number" ? leaseTransitions : 0,
    acquireTime: typeof acquireTime === "string" ? acquireTime : undefined,
  };
}

/** Returns a time as a MicroTime of Kubernetes' API, which has six digits after the second. */
function microTime(now: Date): string {
  return now.toISOString().replace("Z", "000Z");
}

/**
 * Returns a candidate for a Lease, with the rules of Kubernetes' own leader election: it takes a Lease that has not
 * changed for its whole duration by the candidate's own clock, so that clocks need not agree. In addition, it takes the
 * Lease at once when the holder's Pod is gone.
 */
export function leaseCandidate({
  hub,
  lease: { namespace, name },
  identity,
  durationMs,
  now,
  elapsedMs,
  annotations = () => ({}),
}: Readonly<{
  hub: Hub;
  lease: LeaseName;
  identity: string;
  durationMs: number;
  now: () => Date;
  elapsedMs: () => number;
  annotations?: () => Readonly<Record<string, string>>;
}>) {
  let seen = { version: "", atMs: 0 };
  let lastHolder: string | undefined;
  let podReadAtMs = Number.NEGATIVE_INFINITY;

  function leaseWith(
    found: KubernetesObject | undefined,
    { holder, durationSeconds }: Readonly<{ holder: string; durationSeconds: number }>,
  ): KubernetesObject {
    const before = found && specOf(found);
    const isChange = before?.holderIdentity !== holder;
    const time = microTime(now());
    const metadata = {
      ...(found?.metadata ?? { namespace, name }),
      annotations: { ...found?.metadata.annotations, ...annotations() },
    };
    const spec = {
      ...fieldsOf(found?.spec),
      holderIdentity: holder,
      leaseDurationSeconds: durationSeconds,
      acquireTime: isChange ? time : (before.acquireTime ?? time),
      renewTime: time,
      leaseTransitions: (before?.leaseTransitions ?? 0) + (before && isChange ? 1 : 0),
    };
    const { apiVersion, kind } = kinds.Lease;
    return { apiVersion, kind, metadata, spec };
  }

  function isFree(found: KubernetesObject): boolean {
    const { holderIdentity, leaseDurationSeconds } = specOf(found);
    const version = found.metadata.resourceVersion ?? "";
    if (seen.version !== version) seen = { version, atMs: elapsedMs() };
    if (holderIdentity === "" || holderIdentity === identity) return true;
    return elapsedMs() - seen.atMs >= leaseDurationSeconds * 1000;
  }

  async function isHolderGone(found: KubernetesObject): Promise<boolean> {
    const pod = podOf(specOf(found).holderIdentity);
    if (!pod || elapsedMs() - podReadAtMs < podReadMs) return false;
    podReadAtMs = elapsedMs();
    const read = await ifPermitted(hub.get(kinds.Pod, pod.name, namespace));
    const isThere = read.found?.metadata.uid === pod.uid;
    return read.isPermitted && !(isThere && !endedPhases.includes(fieldsOf(read.found?.status).phase));
  }

  return {
    /** Acquires or renews the Lease. Does not throw if another candidate wrote the Lease at the same moment. */
    async hold(): Promise<Attempt> {
      const found = await hub.get(kinds.Lease, name, namespace);
      if (found && !isFree(found) && !(await isHolderGone(found))) {
        const holder = specOf(found).holderIdentity;
        const isNewHolder = holder !== lastHolder;
        lastHolder = holder;
        return { held: false, found, holder, isNewHolder, silentMs: elapsedMs() - seen.atMs };
      }
      const durationSeconds = Math.ceil(durationMs / 1000);
      const wanted = leaseWith(found, { holder: identity, durationSeconds });
      try {
        await (found ? hub.update(wanted) : hub.create(wanted));
        lastHolder = identity;
        return { held: true, found };
      } catch (error) {
        if (!isLostRace(error)) throw error;
        return { held: false, holder: undefined };
      }
    },

    async release(): Promise<void> {
      const found = await hub.get(kinds.Lease, name, namespace);
      if (!found || specOf(found).holderIdentity !== identity) return;
      await hub.update(leaseWith(found, { holder: "", durationSeconds: releasedSeconds }));
    },
  };
}
