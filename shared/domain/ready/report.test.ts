import { describe, expect, test } from "vitest";
import { couldNotAsk, readyReport } from "./report.ts";

describe("readyReport", () => {
  const images = (...statuses: readonly ("ready" | "source-only" | "unreachable" | "missing")[]) =>
    statuses.map((status, index) => ({ image: `${index}`, status, from: null, bytes: null, tried: [] }));

  test.for([
    { statuses: ["ready", "source-only"], isDisconnected: false, ready: true, unasked: false },
    { statuses: ["ready", "source-only"], isDisconnected: true, ready: false, unasked: false },
    { statuses: ["ready", "unreachable"], isDisconnected: false, ready: false, unasked: true },
    { statuses: ["missing", "unreachable"], isDisconnected: false, ready: false, unasked: false },
    { statuses: [], isDisconnected: false, ready: true, unasked: false },
  ] as const)(
    "When images are $statuses and disconnected is $isDisconnected, ready should be $ready",
    ({ statuses, isDisconnected, ready, unasked }) => {
      const report = readyReport(images(...statuses), 0, [], isDisconnected);
      expect({ ready: report.ready, unasked: couldNotAsk(report, isDisconnected) }).toEqual({
        ready,
        unasked,
      });
    },
  );
});
