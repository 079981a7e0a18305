import { setTimeout as sleep } from "node:timers/promises";
import type { Hub } from "../ports/hub.ts";
import type { Log } from "../ports/log.ts";
import { describeError } from "../ports/port-error.ts";
import type { Ports } from "../ports/ports.ts";
import { type Queue, QueueError } from "../ports/queue.ts";

/** Returns by how many seconds `now` is ahead of the hub's clock; undefined if the hub has not reported a time. */
export function clockAheadSeconds({ time }: Pick<Hub, "time">, now: Date): number | undefined {
  const hubTime = time?.();
  return hubTime && (now.getTime() - hubTime.getTime()) / 1000;
}

/** Logs by how much this process's clock is ahead of the hub's, and how long the login on the hub is still valid. */
export async function reportHub({
  hub,
  loginEnd = async () => undefined,
  log,
  now,
}: Pick<Ports, "hub" | "loginEnd" | "log" | "now">): Promise<void> {
  const aheadSeconds = clockAheadSeconds(hub, now());
  if (aheadSeconds !== undefined) log({ event: "clock", aheadSeconds });
  const end = await loginEnd();
  if (end) log({ event: "login", remainingSeconds: Math.floor((end.getTime() - now().getTime()) / 1000) });
}

const intervalMs = 60_000;

/** A queue, with the name that hubrelay has for it. With `deadLetters`, the dead-letter queue is reported too. */
export type ReportedQueue = Readonly<{ name: string; queue: Queue; deadLetters?(): Promise<Queue> }>;

type QueueReportOptions = Readonly<{
  queues: readonly ReportedQueue[];
  signal: AbortSignal;
  log: Log;
  /** Called after each report in which every queue responded. */
  onReport?: (() => unknown) | undefined;
  pause?(ms: number): Promise<unknown>;
}>;

async function report(
  { name, queue, deadLetters }: ReportedQueue,
  { log, signal }: Pick<QueueReportOptions, "log" | "signal">,
): Promise<boolean> {
  try {
    const { visible, inFlight } = await queue.depth();
    // On AWS, the process may not read the dead-letter queue. CloudWatch's alarms watch that queue instead.
    const dead = await deadLetters?.()
      .then((one) => one.depth())
      .catch((error) => {
        if (error instanceof QueueError) return undefined;
        throw error;
      });
    log({
      event: "queue-depth",
      queue: name,
      waiting: visible,
      inFlight,
      ...(dead ? { deadLetters: dead.visible } : {}),
    });
    return true;
  } catch (error) {
    if (!(error instanceof QueueError)) throw error;
    if (signal.aborted) return false;
    const delaySeconds = intervalMs / 1000;
    log({ event: "retry", key: name, error: describeError(error), delaySeconds, attempt: 1 });
    return false;
  }
}

/** Logs the number of messages in each queue every minute, until the signal aborts. */
export async function reportQueues({
  queues,
  signal,
  log,
  onReport = () => undefined,
  pause = (ms) => sleep(ms, undefined, { signal }).catch(() => undefined),
}: QueueReportOptions): Promise<void> {
  while (!signal.aborted) {
    const responded = await Promise.all(queues.map((queue) => report(queue, { log, signal })));
    if (signal.aborted) return;
    if (responded.every(Boolean)) await onReport();
    await pause(intervalMs);
  }
}
