import { expect, test } from "vitest";
import type { LogEntry } from "../../ports/log.ts";
import { jsonLog, type Level } from "./json-log.ts";

const now = () => new Date("2026-08-10T12:00:00.000Z");

function logged(entries: readonly LogEntry[], level?: Level): readonly string[] {
  const lines: string[] = [];
  const log = jsonLog((line) => lines.push(line), { now, ...(level ? { level } : {}) });
  for (const entry of entries) log(entry);
  return lines;
}

const entries = {
  received: {
    event: "event-received",
    type: "dev.knative.apiserver.ref.update",
    subject: "ImageDigestMirrorSet/acme",
    messageId: "m-1",
  },
  written: {
    event: "written",
    key: "worker",
    verb: "update",
    object: "MachineConfig/99-worker",
    reason: "new mirror",
  },
  retry: { event: "retry", key: "worker", error: "HubError: timeout", delaySeconds: 4, attempt: 2 },
  deadLettered: { event: "dead-lettered", messageId: "m-1", reason: "The body is empty." },
} as const satisfies Record<string, LogEntry>;

const all = Object.values(entries);
const levels = [
  { level: "debug", written: ["event-received", "written", "retry", "dead-lettered"] },
  { level: "info", written: ["written", "retry", "dead-lettered"] },
  { level: "warn", written: ["retry", "dead-lettered"] },
  { level: "error", written: ["dead-lettered"] },
] as const;

test.for(levels)("When the level is $level, it should write $written", ({ level, written }) => {
  const events = logged(all, level).map((line) => JSON.parse(line).event);
  expect(events).toEqual(written);
});

test("When no level is set, it should leave out only debug", () => {
  expect(logged(all)).toEqual(logged(all, "info"));
});

test("When something is written, it should be one line with time, level and the entry's fields", () => {
  expect(logged([entries.written])).toEqual([
    '{"time":"2026-08-10T12:00:00.000Z","level":"info","event":"written","key":"worker","verb":"update",' +
      '"object":"MachineConfig/99-worker","reason":"new mirror"}',
  ]);
});

test("When there are fields for every line, they should come before the entry's own, which win", () => {
  const lines: string[] = [];
  const log = jsonLog((line) => lines.push(line), { now, fields: { function: "mirror-config", key: "x" } });
  log({ event: "requeued", key: "worker", delaySeconds: 1 });
  log({ event: "failed", key: "worker", error: "e" });
  expect(lines).toEqual([
    '{"time":"2026-08-10T12:00:00.000Z","level":"error","function":"mirror-config","key":"worker",' +
      '"event":"failed","error":"e"}',
  ]);
});

function loggedValue(value: unknown): unknown {
  const issue = {
    code: "InvalidScope",
    severity: "error",
    object: { kind: "Image", name: "cluster" },
    path: "spec",
    value,
    message: "wrong",
    remedy: "fix it",
  } as const;
  const [line = ""] = logged([{ event: "issue", key: "cluster", issue }]);
  return JSON.parse(line).issue.value;
}

test("When an issue's value is endless, it should cut it", () => {
  const loop: { self?: unknown; text: string; many: readonly number[]; big: bigint } = {
    text: "x".repeat(5_000),
    many: Array.from({ length: 100 }, (_, index) => index),
    big: 2n ** 70n,
  };
  loop.self = loop;
  const value = loggedValue(loop);
  expect(value).toMatchObject({
    text: `${"x".repeat(1_000)}…`,
    many: { length: 20 },
    big: String(2n ** 70n),
  });
  expect(JSON.stringify(value).length).toBeLessThan(10_000);
});
