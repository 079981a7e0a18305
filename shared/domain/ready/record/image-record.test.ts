import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ReadyStatus } from "../judge.ts";
import { type ImageRecord, isDue, recordedWarnings, wantedSince } from "./image-record.ts";

test("When only records of images are known, the registry should be named with a location and what nodes wait", () => {
  const record = { status: "ready", at: "2026-03-01T02:00:00Z", basis: "b" } as const;
  const records = new Map<string, ImageRecord>([
    ["quay.io/a:1", { ...record, unresponsive: ["hangs.lan/a:1"] }],
    ["quay.io/b:1", { ...record, unresponsive: ["hangs.lan/b:1"] }],
    ["quay.io/c:1", record],
  ]);
  const warnings = recordedWarnings([...records.keys()], records);
  expect(warnings).toEqual([
    expect.stringMatching(
      /^Registry hangs\.lan: .* for 2 of 3 images \(such as hangs\.lan\/a:1\).* 30 s .*Fix: /,
    ),
  ]);
});

const record = (at: string, status: ReadyStatus = "ready", basis = "b"): ImageRecord => ({
  status,
  at,
  basis,
});
const day = 24 * 60 * 60_000;

describe("the time since which an image must have been asked for", () => {
  test.each([
    ["no window restricts it", undefined, "2026-03-01T02:00:00.000Z"],
    ["the window opens in an hour", "2026-03-02T03:00:00Z", "2026-03-01T15:00:00.000Z"],
    ["the window opens in half a day", "2026-03-02T14:00:00Z", "2026-03-02T02:00:00.000Z"],
    ["the window opens in 13 hours", "2026-03-02T15:00:00Z", "2026-03-01T03:00:00.000Z"],
    ["the window opens in a week", "2026-03-09T01:00:00Z", "2026-03-01T13:00:00.000Z"],
  ])("When %s, it should be half a day and whole days before that", (_, opening, since) => {
    const now = new Date("2026-03-02T02:00:00Z");
    expect(wantedSince(now, opening === undefined ? undefined : new Date(opening)).toISOString()).toBe(since);
  });

  test("When any opening comes, it should be in the last day, and half a day before the opening at the latest", () => {
    const instant = fc.date({
      min: new Date("2026-01-01"),
      max: new Date("2027-01-01"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instant, fc.integer({ min: 1, max: 40 * day }), (now, ahead) => {
        const opening = new Date(now.getTime() + ahead);
        const since = wantedSince(now, opening).getTime();
        expect(since).toBeLessThanOrEqual(now.getTime());
        expect(since).toBeGreaterThan(now.getTime() - day);
        if (ahead <= day / 2) expect(since).toBe(opening.getTime() - day / 2);
      }),
    );
  });
});

describe("whether an image is asked for", () => {
  const now = new Date("2026-03-02T02:00:00Z");
  const since = new Date("2026-03-01T13:00:00Z");
  test.for<[string, ImageRecord | undefined, boolean]>([
    ["nothing is known", undefined, true],
    ["it was ready since", record("2026-03-01T13:00:00Z"), false],
    ["it was ready before", record("2026-03-01T12:59:59Z"), true],
    ["it comes from its source", record("2026-03-01T13:00:00Z", "source-only"), false],
    ["it was judged by other rules", record("2026-03-02T01:59:00Z", "ready", "other"), true],
    ["it was missing a minute ago", record("2026-03-02T01:59:00Z", "missing"), false],
    ["it was missing at the last tick", record("2026-03-02T01:55:00Z", "missing"), true],
    ["its registry did not respond at the last tick", record("2026-03-02T01:55:00Z", "unreachable"), true],
  ])("When %s, it should be %s", ([, before, expected]) => {
    expect(isDue(before, "b", { now, since })).toBe(expected);
  });

  test("When an image was just asked for, it should not be due, whatever was found", () => {
    for (const status of ["ready", "missing", "unreachable"] as const)
      expect(isDue(record("2026-03-02T02:00:00Z", status, "basis"), "basis", { now, since: now })).toBe(
        false,
      );
  });

  test("When ticks come every five minutes for weeks, an image should be asked for once a day and before each opening", () => {
    const start = Date.parse("2026-03-01T00:00:00Z");
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 7 * 24 * 60 }),
        fc.integer({ min: 1, max: 14 }),
        (offsetMinutes, everyDays) => {
          const openings = Array.from(
            { length: 40 },
            (_, index) => start + offsetMinutes * 60_000 + index * everyDays * day,
          );
          let at = new Date(start);
          let asked = 0;
          const days = 21;
          for (let time = start; time < start + days * day; time += 5 * 60_000) {
            const tick = new Date(time);
            const next = openings.find((one) => one > time);
            if (next !== undefined && next - time <= 5 * 60_000)
              expect(next - at.getTime()).toBeLessThanOrEqual(day / 2);
            const wanted = wantedSince(tick, next === undefined ? undefined : new Date(next));
            if (!isDue(record(at.toISOString()), "b", { now: tick, since: wanted })) continue;
            at = tick;
            asked++;
          }
          // Once more, because the first day begins at any time.
          expect(asked).toBeLessThanOrEqual(days + 1);
          expect(asked).toBeGreaterThanOrEqual(days - 1);
        },
      ),
      { numRuns: 20 },
    );
  });
});
