import { setTimeout as sleep } from "node:timers/promises";
import type { KubernetesObject } from "../../domain/kubernetes/object.ts";
import { sentence } from "../../domain/text/redact.ts";
import type { Hub } from "../../ports/hub.ts";
import type { Log } from "../../ports/log.ts";
import { describeError } from "../../ports/port-error.ts";
import { type Attempt, type LeaseName, leaseCandidate, processAnnotation } from "./lease-candidate.ts";

/** The timing that OpenShift requires for leader election. Only `standbyMs` is hubrelay's own. */
export const openshiftTiming = {
  durationMs: 137_000,
  renewWithinMs: 107_000,
  retryMs: 26_000,
  standbyMs: 500,
} as const;

export type ElectionOptions = Readonly<{
  hub: Hub;
  lease: LeaseName;
  /** The command that this process runs. If the Lease's holder runs another command, an error is logged. */
  process: string;
  /** The name of this process in the Lease: unique among the candidates, and the same after a container's restart. */
  identity: string;
  signal: AbortSignal;
  now: () => Date;
  log: Log;
  annotations?: () => Readonly<Record<string, string>>;
  /** Called after each attempt. `problem` is the reason why no process can lead; undefined if a process leads. */
  onAttempt?: (problem: string | undefined) => void;
  /**
   * Without a renewal, the Lease is valid for `durationMs`, and a leader may lead for `renewWithinMs`. `retryMs` is the
   * pause between renewals, and `standbyMs` the pause between the attempts of a standby.
   */
  timing?: Readonly<{ durationMs: number; renewWithinMs: number; retryMs: number; standbyMs: number }>;
}>;

type Held = Extract<Attempt, Readonly<{ held: true }>>;

const elapsedMs = () => performance.now();
const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => undefined);

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  const finished = new AbortController();
  const expiry = pause(ms, finished.signal).then(() => "expired" as const);
  try {
    const first = await Promise.race([work.then((result) => ({ result })), expiry]);
    if (first === "expired") throw new Error(`the hub did not respond within ${Math.round(ms)} ms`);
    return first.result;
  } finally {
    finished.abort();
  }
}

/**
 * Runs `lead` whenever this process holds the Lease, until the signal aborts. The signal of `lead` also aborts when the
 * Lease is lost. `found` is the Lease as its last holder left it. Two processes may lead at once for a moment, which
 * must be harmless. Throws the error of `lead`, after releasing the Lease.
 */
export async function whileLeading(
  {
    hub,
    lease,
    process,
    identity,
    signal,
    now,
    log,
    annotations,
    onAttempt = () => undefined,
    timing = openshiftTiming,
  }: ElectionOptions,
  lead: (signal: AbortSignal, found: KubernetesObject | undefined) => Promise<void>,
): Promise<void> {
  const { durationMs, renewWithinMs, retryMs, standbyMs } = timing;
  const afterErrorMs = 4 * standbyMs;
  const candidate = leaseCandidate({
    hub,
    lease,
    identity,
    durationMs,
    now,
    elapsedMs,
    annotations: () => ({ ...annotations?.(), [processAnnotation]: process }),
  });
  const name = `${lease.namespace}/${lease.name}`;
  let failures = 0;

  const logError = (error: unknown, delayMs: number): void => {
    const delaySeconds = delayMs / 1000;
    log({ event: "retry", key: name, error: describeError(error), delaySeconds, attempt: ++failures });
  };

  function logHolder(holder: string, of: string | undefined): void {
    log({ event: "standing-by", lease: name, holder });
    if (of === undefined || of === process) return;
    const error = sentence`${holder}, which has the Lease ${name}, runs hubrelay ${of}, and this is hubrelay ${process}: two forms of deployment share the Lease, and only one of them works. Fix: delete one of them (docs/deploy-kubernetes.md, "From another form").`;
    log({ event: "failed", key: name, error });
  }

  /** Tries to hold the Lease. Returns `unknown` if the holder is not known: a leader may then continue to lead. */
  async function attempt(withinMs: number, delayMs: number): Promise<"another's" | "unknown" | Held> {
    try {
      const result = await within(withinMs, candidate.hold());
      failures = 0;
      onAttempt(undefined);
      if (result.held) {
        log({ event: "lease-renewed", lease: name, atMs: now().getTime() });
        return result;
      }
      if (result.holder === undefined) return "unknown";
      const { holder, silentMs } = result;
      if (result.isNewHolder) logHolder(holder, result.found.metadata.annotations?.[processAnnotation]);
      // A holder that could not renew the Lease for this time has stopped leading.
      if (silentMs > renewWithinMs)
        onAttempt(sentence`Nobody leads: ${holder} does not renew the Lease ${name}.`);
      return "another's";
    } catch (error) {
      logError(error, delayMs);
      onAttempt(sentence`Nobody may lead: the Lease ${name} cannot be held. ${describeError(error)}.`);
      return "unknown";
    }
  }

  async function renew(end: AbortSignal, acquired: number): Promise<void> {
    let renewed = acquired;
    for (;;) {
      await pause(retryMs, end);
      const startedMs = elapsedMs();
      const leftMs = renewed + renewWithinMs - startedMs;
      if (end.aborted) return;
      if (leftMs <= 0) {
        log({ event: "standing-by", lease: name, holder: "unknown" });
        return;
      }
      const result = await attempt(leftMs, retryMs);
      if (result === "another's") return;
      if (result !== "unknown") renewed = startedMs;
    }
  }

  async function leadOnce({ found }: Held, acquired: number): Promise<void> {
    log({ event: "leading", lease: name });
    const stop = new AbortController();
    const end = AbortSignal.any([signal, stop.signal]);
    const renewing = renew(end, acquired).finally(() => stop.abort());
    try {
      await lead(end, found);
    } finally {
      stop.abort();
      await renewing;
      await within(renewWithinMs, candidate.release()).catch((error) => logError(error, 0));
    }
  }

  while (!signal.aborted) {
    const startedMs = elapsedMs();
    const result = await attempt(renewWithinMs, afterErrorMs);
    if (typeof result === "object") await leadOnce(result, startedMs);
    else await pause(result === "another's" ? standbyMs : afterErrorMs, signal);
  }
}
