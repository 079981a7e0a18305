import { expect, test } from "vitest";
import type { LogEntry } from "../../ports/log.ts";
import { heartbeats } from "./heartbeat.ts";

const lease = "hubrelay/hubrelay-forwarder";
const synced: LogEntry = { event: "synced", kinds: [] };
const sent = (queue: string): LogEntry => ({ event: "forwarded", queue, messages: 1, waiting: 0 });
const refused = (queue: string): LogEntry => ({
  event: "not-forwarded",
  queue,
  waiting: 1,
  error: "no",
  delaySeconds: 30,
  attempt: 9,
});

/** A forwarder at minute 0. */
function aForwarder() {
  let minute = 0;
  const entries: LogEntry[] = [];
  const beats = heartbeats({
    queues: new Set(["mirror-configs", "hosted-clusters"]),
    log: (entry) => entries.push(entry),
    now: () => new Date(minute * 60_000),
    elapsedMs: () => minute * 60_000,
  });
  return {
    ...beats,
    /** A minute later every queue reports its depth. Returns whether that was a heartbeat. */
    nextMinute() {
      minute++;
      const before = entries.length;
      beats.queuesResponded();
      return entries.length > before;
    },
    entries,
  };
}

test("When everything was sent, each minute in which queues respond should be a heartbeat, recorded on the Lease", () => {
  const { log, nextMinute, annotations, entries } = aForwarder();
  log({ event: "leading", lease });
  expect(nextMinute()).toBe(false);
  expect(annotations()).toEqual({});
  log(synced);
  expect(entries.at(-1)).toEqual({ event: "heartbeat", atMs: 60_000 });
  expect(nextMinute()).toBe(true);
  expect(annotations()).toEqual({ "hubrelay.dev/heartbeat": "1970-01-01T00:02:00.000Z" });
});

test("When a queue refuses messages though it responds, there should be no heartbeat until it accepts some", () => {
  const { log, nextMinute } = aForwarder();
  log(synced);
  log(refused("mirror-configs"));
  log(refused("hosted-clusters"));
  expect(nextMinute()).toBe(false);
  log(sent("hosted-clusters"));
  expect(nextMinute()).toBe(false);
  log(sent("mirror-configs"));
  expect(nextMinute()).toBe(true);
});

test("When a watch fails, there should be no heartbeat until two minutes have passed without a failure", () => {
  const { log, watchFailed, nextMinute } = aForwarder();
  log(synced);
  watchFailed();
  expect([nextMinute(), nextMinute(), nextMinute()]).toEqual([false, false, true]);
});

test("When it leads again, there should be no heartbeat before everything was sent again", () => {
  const { log, nextMinute } = aForwarder();
  log(synced);
  log(refused("mirror-configs"));
  log({ event: "leading", lease });
  expect(nextMinute()).toBe(false);
  log(synced);
  expect(nextMinute()).toBe(true);
});

test("When it leads, it should be ready once all was sent, and while any queue accepts messages", () => {
  const { log, notReady } = aForwarder();
  expect(notReady()).toBe("The hub's objects have not been sent yet.");
  log({ event: "leading", lease });
  expect(notReady()).toBe("The hub's objects are being sent.");
  log(synced);
  log(refused("mirror-configs"));
  expect(notReady()).toBeUndefined();
  log(refused("hosted-clusters"));
  expect(notReady()).toBe("No queue accepts messages.");
  log(sent("hosted-clusters"));
  expect(notReady()).toBeUndefined();
});

test("When it stands by, it should be ready, whatever its queues did before", () => {
  const { log, notReady, standby } = aForwarder();
  log({ event: "leading", lease });
  log(refused("mirror-configs"));
  log(refused("hosted-clusters"));
  log({ event: "standing-by", lease, holder: "another" });
  expect(notReady()).toBeUndefined();
  expect(standby()).toBe("It stands by: another leads.");
  log({ event: "leading", lease });
  expect(standby()).toBeUndefined();
});
