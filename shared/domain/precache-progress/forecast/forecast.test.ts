import { describe, expect, test } from "vitest";
import { aFleet, type Fleet } from "../../../../test/support/precache/forecast-fleet.ts";
import { processorSeconds } from "../../../../test/support/setup/processor-seconds.ts";
import type { ClusterRecord } from "../../precache-model/cluster-record.ts";
import { aWaitingRecord } from "../../precache-model/fixtures.ts";
import type { CompletePull } from "../../precache-model/precaching-report.ts";
import { slotChanges } from "../../precache-start/slot-changes.ts";
import { type Forecast, type ForecastInput, forecast, lateness } from "./forecast.ts";
import { forecastText } from "./forecast-text.ts";

const now = new Date("2026-03-01T02:00:00Z");
const gb = 10 ** 9;
const at = (time: string) => new Date(`2026-03-01T${time}:00Z`);
/** 9 GB at 100 Mbit/s are 12 minutes, at 80 Mbit/s 15; half a minute before, a cluster has a slot. */
const bandwidth = { "hubrelay.dev/bandwidth": "100" };

type Given = Partial<Omit<ForecastInput, "records">> &
  Readonly<{ fleet: Fleet; records?: Readonly<Record<string, Partial<ClusterRecord>>> }>;

const inputOf = ({ fleet, records = {}, ...given }: Given): ForecastInput => ({
  ...fleet,
  records: new Map(Object.entries(records).map(([name, fields]) => [name, aWaitingRecord(fields)])),
  pulls: new Map(),
  measuredBytesOf: () => 9 * gb,
  now,
  ...given,
});
const clusters = (from: Forecast) =>
  from.byCluster.map(({ name, state, expectedEnd, latestEnd }) =>
    [name, state, expectedEnd?.slice(11, 16) ?? "unknown", latestEnd?.slice(11, 16) ?? "unknown"].join(" "),
  );
const pull = (mbit: number, from: string, minutes: number): CompletePull => ({
  bytes: mbit * 125_000 * minutes * 60,
  from: at(from).toISOString(),
  until: new Date(at(from).getTime() + minutes * 60_000).toISOString(),
});

describe("when clusters have their images", () => {
  const known = (...names: readonly string[]) => ({ fleet: aFleet(names, { annotations: bandwidth }) });
  const noSize = { measuredBytesOf: () => undefined };
  const others = ["a2", "a3", "a4", "a5"];
  const doneBefore = { state: "Succeeded", since: "2026-03-01T01:50:00Z" } as const;
  /** 108 Mbit/s are the mean. */
  const oneSlow: Given = {
    fleet: aFleet(["a1", ...others], { maxConcurrency: 1 }),
    records: Object.fromEntries(others.map((name) => [name, doneBefore])),
    pulls: new Map([
      ["a1", pull(60, "01:00", 10)],
      ...others.map((name) => [name, pull(120, "01:00", 10)] as const),
    ]),
  };
  const faster = { ...known("a1"), pulls: new Map([["a1", pull(200, "01:00", 10)]]) };
  const elsewhere = { fleet: aFleet(["a1", "b1"]), pulls: new Map([["b1", pull(100, "01:00", 10)]]) };
  const reported = { a2: { state: "Succeeded", bytesTotal: 9 * gb, bytesDone: 9 * gb } } as const;
  const failed = {
    a2: { state: "UnrecoverableError", reason: "Unauthorized", message: "no login" },
  } as const;
  const short = { fleet: aFleet(["a1"], { annotations: bandwidth, timeout: 5 }) };
  const unplanned = new Map([["a2", "Waits for ClusterGroupUpgrade/ztp/first."]]);
  const [first, none] = ["a1 expected 02:12 02:17", "unknown unknown unknown"];

  test.for<readonly [what: string, given: Given, ends: readonly string[]]>([
    ["a bandwidth is known", known("a1"), [first]],
    ["runs at the site were faster than the bandwidth says", faster, ["a1 expected 02:06 02:09"]],
    ["only runs at another site are known", elsewhere, [first, "b1 expected 02:12 02:17"]],
    [
      "one of five runs took twice as long as the others",
      oneSlow,
      ["a1 expected 02:11 02:15", ...others.map((name) => `${name} done 01:50 01:50`)],
    ],
    ["no speed is known", { fleet: aFleet(["a1"]) }, [`a1 ${none}`]],
    ["no size is known", { ...known("a1"), ...noSize }, [`a1 ${none}`]],
    [
      "another cluster has reported the size",
      { ...known("a1", "a2"), ...noSize, records: reported },
      [first, "a2 done 02:00 02:00"],
    ],
    ["one has failed", { ...known("a1", "a2"), records: failed }, [first, "a2 failed unknown unknown"]],
    ["the deadline is too short", short, ["a1 failed unknown unknown"]],
    ["one is not planned yet", { ...known("a1"), unplanned }, [first, `a2 ${none}`]],
  ])("When $0, it should be $2", ([, given, ends]) => {
    expect(clusters(forecast(inputOf(given)))).toEqual(ends);
  });

  test("When clusters of a site share its link, its speed should be that of all runs together", () => {
    const fleet = aFleet(["a1", "a2"], { annotations: { "hubrelay.dev/bandwidth": "a=1000" } });
    // Two runs at the same time pulled 50 Mbit/s each.
    const pulls = new Map(["a1", "a2"].map((name) => [name, pull(50, "01:00", 20)]));
    const [first] = forecast(inputOf({ fleet, pulls })).byCluster;
    expect(first?.expectedEnd).toBe("2026-03-01T02:24:30Z");
  });

  test("When there is a time to be done by, those that are late and those at risk should be counted, by site too", () => {
    const fleet = aFleet(["a1", "a2", "b1", "b2"], {
      maxConcurrency: 2,
      annotations: { ...bandwidth, "hubrelay.dev/bandwidth": "50,b=100" },
    });
    const { late, atRisk, sites } = forecast(inputOf({ fleet }), at("02:50"));
    expect([late, atRisk]).toEqual([0, 2]);
    expect(sites.map(({ site, atRisk: risks }) => [site, risks])).toEqual([
      ["a", 0],
      ["b", 2],
    ]);
  });

  const nightly = { schedule: "0 4 * * *", duration: "1h" };
  const ofSite = (site: string) => ({ ...nightly, clusterSelector: { matchLabels: { site } } });
  const frozen = { ...ofSite("b"), exclusions: [{ from: "2026-01-01", to: "9999-12-31" }] };
  const yearly = aFleet(["a1", "a2", "a3"], {
    maxConcurrency: 1,
    annotations: bandwidth,
    windows: { once: { schedule: "0 4 1 3 *", duration: "30m" } },
  });
  const inMay = { annotations: bandwidth, windows: { may: { schedule: "0 4 15 4 *" } } };
  const beginning = {
    "hubrelay.dev/bandwidth": "a=10,b=100",
    "hubrelay.dev/enable-after-precaching": "2026-03-01T03:00:00Z",
  };
  const soon = { fleet: aFleet(["a1", "b1"], { annotations: beginning }) };
  const closedForGood = {
    fleet: aFleet(["a1", "b1"], { windows: { a: ofSite("a"), b: frozen } }),
    ...noSize,
  };
  const night = { fleet: aFleet(["a1"], { windows: { night: nightly } }), ...noSize };
  const whyShort = "DeadlineExceeded: The Job reached its deadline; what was pulled stays.";
  const whyYearly = "The Job is suspended; what was pulled stays.";

  test.for<
    readonly [what: string, given: Given, late: readonly string[], reason?: string | undefined, by?: Date]
  >([
    ["nothing fails and no window is closed", known("a1"), []],
    ["one has failed", { ...known("a1", "a2"), records: failed }, ["a2"], "Unauthorized: no login"],
    ["its window is closed for good", closedForGood, ["b1"], "default/b is closed for good."],
    ["the upgrade's timeout ends it before it is done", short, ["a1"], whyShort],
    ["the last opening of a year ends before all are done", { fleet: yearly }, ["a3"], whyYearly],
    ["the only window opens in six weeks", { fleet: aFleet(["a1"], inMay) }, []],
    ["the rollout is to begin before", soon, ["a1"]],
    ["its window opens after the time to be done by", night, ["a1"], undefined, at("03:00")],
  ])("When $0, those that are late should be $2", ([, given, late, reason, by]) => {
    const said = forecast(inputOf(given), by);
    const isLate = said.byCluster.filter((one) => lateness(one, said.by) === "late");
    expect(isLate.map(({ name }) => name)).toEqual(late);
    expect(said.late).toBe(late.length);
    if (reason !== undefined) expect(isLate.map((one) => one.reason)).toEqual([reason]);
  });
});

test("When a cluster has failed and there is no time to be done by, the text should count it once", () => {
  const fleet = aFleet(["a1", "b1"]);
  const given = inputOf({
    fleet,
    records: { a1: { state: "PrecacheTimeout" } },
    measuredBytesOf: () => undefined,
  });
  expect(forecastText(forecast(given))).toBe("1 failed, 1 unknown");
  expect(forecastText(forecast(given, at("03:00")))).toMatch(/^1 failed, 1 unknown; by .*: 1 late$/);
});

const six = ["a1", "a2", "a3", "a4", "a5", "a6"];

test.for<Readonly<{ what: string; fleet: Fleet; by: Date; limits: readonly string[] | undefined }>>([
  {
    what: "two at a time are too few",
    fleet: aFleet(six, { maxConcurrency: 2, annotations: bandwidth }),
    by: at("02:30"),
    limits: ["maxConcurrency allows 2 at a time"],
  },
  {
    what: "a site has a limit",
    fleet: aFleet(six, { annotations: { ...bandwidth, "hubrelay.dev/max-per-site": "1" } }),
    by: at("02:14"),
    limits: ["site a allows 1 at a time"],
  },
  {
    what: "the window opens too late",
    fleet: aFleet(["a1"], { annotations: bandwidth, windows: { night: { schedule: "0 6 * * *" } } }),
    by: at("05:00"),
    limits: undefined,
  },
  {
    what: "no cluster is late",
    fleet: aFleet(six, { maxConcurrency: 2, annotations: bandwidth }),
    by: at("09:00"),
    limits: undefined,
  },
])("When $what, the forecast should name the limits $limits", ({ fleet, by, limits }) => {
  expect(forecast(inputOf({ fleet }), by).limits).toEqual(limits);
});

test("When 3,500 clusters of 175 sites are forecast, it should take at most 60 times as long as one decision about them", () => {
  const sites = Array.from(
    { length: 175 },
    (_, index) => `${String.fromCharCode(97 + (index % 26))}${"z".repeat(Math.floor(index / 26) + 1)}`,
  );
  const names = Array.from({ length: 3_500 }, (_, index) => `${sites[index % sites.length]}${index}`);
  const fleet = aFleet(names, {
    maxConcurrency: 200,
    annotations: { ...bandwidth, "hubrelay.dev/max-per-site": "3" },
    windows: { night: {} },
  });
  const input = inputOf({ fleet });
  const decision = () => slotChanges({ ...input, startsHeldBy: undefined, worksOf: () => undefined });
  const floor = Math.min(...Array.from({ length: 5 }, () => processorSeconds(decision)));
  const { expected } = forecast(input);
  expect(expected).toBe(3_500);
  const again = Math.min(...Array.from({ length: 2 }, () => processorSeconds(() => forecast(input))));
  expect(again / floor).toBeLessThan(60);
});
