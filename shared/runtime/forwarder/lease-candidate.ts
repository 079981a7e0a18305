import { fieldsOf } from "../../domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "../../domain/kubernetes/object.ts";
import { type Hub, ifPermitted, isLostRace } from "../../ports/hub.ts";

export type LeaseName = Readonly<{ namespace: string; name: string }>;

/** The Lease for the leader election of a deployment's forwarders; the roles in `infra/hub-rbac` grant access to it. */
export const deployedLease: LeaseName = { namespace: "hubrelay", name: "hubrelay-forwarder" };

/** Annotation of the Lease: when the forwarder last had a heartbeat, as of the last renewal. */
export const heartbeatAnnotation = "hubrelay.dev/heartbeat";

/** Returns the last heartbeat of a Lease's holder; undefined if none is recorded. */
export function heartbeatOf(lease: KubernetesObject): Date | undefined {
  const time = Date.parse(lease.metadata.annotations?.[heartbeatAnnotation] ?? "");
  return Number.isNaN(time) ? undefined : new Date(time);
}

/** Annotation of the Lease: since when outcomes may be unpublished; empty if all are published. */
export const owedSinceAnnotation = "hubrelay.dev/outcomes-owed-since";

/** Annotation of the Lease: the command that its holder runs, `run` or `forward`. */
export const processAnnotation = "hubrelay.dev/process";

/** The duration of a released Lease in seconds, as Kubernetes' own leader election writes it. */
const releasedSeconds = 1;

/**
 * Returns the time since which outcomes of the Lease's last holder may be unpublished: its last renewal, since it may
 * have been killed between a write and the outcome, or an earlier time that it recorded. A holder that released the
 * Lease had finished its work, so then only a recorded time counts. Undefined without such a time.
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

/** The Pod that a Lease's holder runs in, in the namespace of the Lease. */
type HoldingPod = Readonly<{ name: string; uid: string }>;

/** Returns the identity of a process in a Pod; other candidates derive the Pod from the identity. */
export const podIdentity = ({ name, uid }: HoldingPod): string => `${name}_pod-${uid}`;

/** Returns the Pod that an identity names; undefined if the process does not run in a Pod. */
function podOf(identity: string): HoldingPod | undefined {
  const [, name, uid] = /^([-.a-z0-9]+)_pod-([-a-z0-9]+)$/.exec(identity) ?? [];
  return name && uid ? { name, uid } : undefined;
}

/** Phases of a Pod without running containers; the object of an evicted Pod still exists. */
const endedPhases: readonly unknown[] = ["Succeeded", "Failed"];
const podReadMs = 2_000;

/** Parses `namespace/name`; returns undefined for any other text. */
export function parseLeaseName(text: string): LeaseName | undefined {
  const [, namespace, name] = /^([a-z0-9][-a-z0-9]*)\/([a-z0-9][-.a-z0-9]*)$/.exec(text) ?? [];
  return namespace && name ? { namespace, name } : undefined;
}

/**
 * The result of an attempt to hold the Lease. `found` is the Lease before the attempt. `holder` is undefined if another
 * candidate wrote at the same moment: the next attempt reports the holder. `isNewHolder` is true if the last attempt had
 * another holder. `silentMs` is the time since the Lease was last seen to change.
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

/** Formats a time as the API's MicroTime, which has six digits after the second. */
function microTime(now: Date): string {
  return now.toISOString().replace("Z", "000Z");
}

/**
 * Returns one candidate for a `coordination.k8s.io` Lease, with the rules of Kubernetes' own leader election. The
 * holder renews the Lease. Another candidate may take the Lease once it has not changed for its whole duration by this
 * candidate's clock, so that clocks need not agree; or at once if the holder's Pod is gone, since then nobody can renew
 * the Lease. The resourceVersion on every write lets only one of two candidates win.
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
  /** Returns annotations that the holder writes to the Lease with each renewal. */
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

  /** Reports whether the holder's Pod is gone; false if the Pod may not be read. */
  async function isHolderGone(found: KubernetesObject): Promise<boolean> {
    const pod = podOf(specOf(found).holderIdentity);
    if (!pod || elapsedMs() - podReadAtMs < podReadMs) return false;
    podReadAtMs = elapsedMs();
    const read = await ifPermitted(hub.get(kinds.Pod, pod.name, namespace));
    const isThere = read.found?.metadata.uid === pod.uid;
    return read.isPermitted && !(isThere && !endedPhases.includes(fieldsOf(read.found?.status).phase));
  }

  return {
    /** Acquires or renews the Lease. Throws the hub's errors, except lost races. */
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

    /** Releases the Lease, so that the next holder need not wait until it expires. */
    async release(): Promise<void> {
      const found = await hub.get(kinds.Lease, name, namespace);
      if (!found || specOf(found).holderIdentity !== identity) return;
      await hub.update(leaseWith(found, { holder: "", durationSeconds: releasedSeconds }));
    },
  };
}
