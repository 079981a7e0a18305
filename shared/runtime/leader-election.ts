import { setTimeout as sleep } from "node:timers/promises";
import type { Hub } from "../ports/hub.ts";
import type { Log } from "../ports/log.ts";
import { describeError } from "./describe-error.ts";
import { type LeaseName, leaseCandidate } from "./lease.ts";

/** Those of Kubernetes' own controllers. */
const kubernetesTiming = { durationMs: 15_000, renewWithinMs: 10_000, retryMs: 2_000 } as const;

export type ElectionOptions = Readonly<{
  hub: Hub;
  lease: LeaseName;
  /** Different for every process, also for one that comes after another on the same machine. */
  identity: string;
  signal: AbortSignal;
  now: () => Date;
  log: Log;
  /**
   * How long the Lease lasts unless it is renewed, within which time the leader must have renewed it, and the
   * pause between attempts.
   */
  timing?: Readonly<{ durationMs: number; renewWithinMs: number; retryMs: number }>;
}>;

const elapsedMs = () => performance.now();
/** Resolves after the time or when the signal aborts. */
const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => undefined);

/** A hub that does not answer in time is as good as one that refuses. */
async function within<Answer>(ms: number, work: Promise<Answer>): Promise<Answer> {
  const answered = new AbortController();
  const expiry = pause(ms, answered.signal).then(() => "expired" as const);
  try {
    const first = await Promise.race([work.then((answer) => ({ answer })), expiry]);
    if (first === "expired") throw new Error(`the hub did not answer within ${Math.round(ms)} ms`);
    return first.answer;
  } finally {
    answered.abort();
  }
}

/**
 * Runs `lead` whenever this process holds the Lease, until the signal aborts. The signal that `lead` gets aborts
 * as well when the Lease is lost; then the process stands by again. That two lead for a moment is possible, as
 * with every lease, and must be harmless. Throws what `lead` throws, after the Lease was given back.
 */
export async function whileLeading(
  { hub, lease, identity, signal, now, log, timing = kubernetesTiming }: ElectionOptions,
  lead: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { durationMs, renewWithinMs, retryMs } = timing;
  const candidate = leaseCandidate({ hub, lease, identity, durationMs, now, elapsedMs });
  const name = `${lease.namespace}/${lease.name}`;
  let failures = 0;

  const tellTrouble = (error: unknown): void => {
    const delaySeconds = retryMs / 1000;
    log({ event: "retry", key: name, error: describeError(error), delaySeconds, attempt: ++failures });
  };

  /** `unknown` when the hub did not say: a leader may go on for a while, a candidate asks again. */
  async function attempt(withinMs: number): Promise<"held" | "another's" | "unknown"> {
    try {
      const result = await within(withinMs, candidate.hold());
      failures = 0;
      if (result.held) return "held";
      if (result.holder === undefined) return "unknown";
      if (result.isNews) log({ event: "standing-by", lease: name, holder: result.holder });
      return "another's";
    } catch (error) {
      tellTrouble(error);
      return "unknown";
    }
  }

  /** Renews until the end, or until the Lease is another's or was not renewed for too long. */
  async function keep(end: AbortSignal): Promise<void> {
    let renewed = elapsedMs();
    for (;;) {
      await pause(retryMs, end);
      const asked = elapsedMs();
      const leftMs = renewed + renewWithinMs - asked;
      if (end.aborted) return;
      if (leftMs <= 0) {
        log({ event: "standing-by", lease: name, holder: "unknown" });
        return;
      }
      const result = await attempt(leftMs);
      if (result === "another's") return;
      if (result === "held") renewed = asked;
    }
  }

  async function leadOnce(): Promise<void> {
    log({ event: "leading", lease: name });
    const stop = new AbortController();
    const end = AbortSignal.any([signal, stop.signal]);
    const kept = keep(end).finally(() => stop.abort());
    try {
      await lead(end);
    } finally {
      stop.abort();
      await kept;
      await within(renewWithinMs, candidate.release()).catch(tellTrouble);
    }
  }

  while (!signal.aborted) {
    if ((await attempt(renewWithinMs)) === "held") await leadOnce();
    else await pause(retryMs, signal);
  }
}
