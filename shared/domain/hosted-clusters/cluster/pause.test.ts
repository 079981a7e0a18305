import { expect, test } from "vitest";
import { pauseOf } from "./hosted-cluster.ts";

const now = new Date("2026-11-22T00:00:00Z");

// The results of ProcessPausedUntilField in HyperShift's support/util at this time.
test.for([
  { text: undefined, paused: false },
  { text: "true", paused: true },
  { text: "True", paused: true },
  { text: "false", paused: false },
  { text: "False", paused: false },
  { text: "2026-11-22T00:00:00Z", paused: false },
  { text: "2026-11-22T00:00:01Z", paused: "2026-11-22T00:00:01.000Z" },
  { text: "2026-11-22T00:30:00+01:00", paused: false },
  { text: "2026-11-21T23:30:00-01:00", paused: "2026-11-22T00:30:00.000Z" },
  { text: "2026-12-01T5:00:00Z", paused: "2026-12-01T05:00:00.000Z" },
  { text: "2026-12-01T00:00:00.5Z", paused: "2026-12-01T00:00:00.500Z" },
  { text: "2026-12-01T00:00:00,5Z", paused: "2026-12-01T00:00:00.500Z" },
  { text: "2026-12-01T00:00:00.123456789012Z", paused: "2026-12-01T00:00:00.123Z" },
  { text: "2026-12-01T00:00:00+24:00", paused: "2026-11-30T00:00:00.000Z" },
  { text: "2026-12-01T00:00:00+25:00", paused: false },
  { text: "2026-12-01T00:00:00+23:60", paused: "2026-11-30T00:00:00.000Z" },
  { text: "2026-12-01T00:00:00+23:61", paused: false },
  { text: "2026-12-01T00:00:00", paused: false },
  { text: "2026-12-01T00:00:00z", paused: false },
  { text: "2026-12-01T00:00:00.Z", paused: false },
  { text: "2026-12-01T24:00:00Z", paused: false },
  { text: "2026-12-01T00:00:60Z", paused: false },
  { text: "2026-13-01T00:00:00Z", paused: false },
  { text: "2027-02-29T00:00:00Z", paused: false },
  { text: "2028-02-29T00:00:00Z", paused: "2028-02-29T00:00:00.000Z" },
  { text: "2027-04-31T00:00:00Z", paused: false },
  { text: "x2026-12-01T00:00:00Z", paused: false },
  { text: "2026-12-01T00:00:00Z and so on", paused: false },
])("When a hosted cluster is paused until $text, it should be paused: $paused", ({ text, paused }) => {
  const { isPaused, until } = pauseOf(text, now);
  expect(until?.toISOString() ?? isPaused).toBe(paused);
});
