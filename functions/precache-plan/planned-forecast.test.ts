import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { forecast } from "#shared/domain/precache-progress/forecast/forecast.ts";
import { aFleet } from "../../test/support/precache/forecast-fleet.ts";
import { forecastEvents } from "./planned-forecast.ts";

const { cgu, ...fleet } = aFleet(["a1", "a2"], { annotations: { "hubrelay.dev/bandwidth": "100" } });
const given = { ...fleet, cgu, records: new Map(), pulls: new Map(), now: new Date("2026-03-01T02:00:00Z") };
const known = forecast({ ...given, measuredBytesOf: () => 9 * 10 ** 9 });
const unknown = forecast(given);
const written: KubernetesObject = {
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: "upgrade.1" },
  reason: "Forecast",
  message: "that of the last plan",
};

describe("the Event with the forecast of a plan", () => {
  test.for([
    {
      what: "a plan is written",
      found: known,
      before: [written],
      says: ["2 more by Sun 2026-03-01 02:12 UTC, at the latest Sun 2026-03-01 02:17 UTC"],
    },
    { what: "nothing is known of the plan", found: unknown, before: [written], says: [] },
    { what: "no plan is written", found: undefined, before: [written], says: ["that of the last plan"] },
    { what: "there has been no plan", found: undefined, before: [], says: [] },
  ])("When $what, it should say $says", ({ found, before, says }) => {
    expect(forecastEvents(cgu, found, before).map(({ message }) => message)).toEqual(says);
  });
});
