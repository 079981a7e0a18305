import { expect, test } from "vitest";
import { aFleet } from "../../../../test/support/precache/forecast-fleet.ts";
import { emptySpec } from "../../precache-model/precaching-spec.ts";
import { type Zone, zoneOf } from "../../windows/zone.ts";
import { type DueTime, dueOf, forecastFor } from "./due-time.ts";
import { givenBytes } from "./given-sizes.ts";

const zone = (name: string): Zone => {
  const found = zoneOf(name);
  if (!found) throw new Error(`unknown zone ${name}`);
  return found;
};
const utc = zone("UTC");
const local = zone("America/New_York");
/** A Friday. */
const now = new Date("2026-11-27T12:00:00Z");

const inputOf = (
  windows: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  of = ["a1", "b1"],
) => ({
  ...aFleet(of, { windows, annotations: { "hubrelay.dev/bandwidth": "100" } }),
  records: new Map(),
  pulls: new Map(),
  measuredBytesOf: () => 9 * 10 ** 9,
  now,
});
const of = (site: string) => ({ clusterSelector: { matchLabels: { site } } });
const oslo = { timeZone: "Europe/Oslo" };
const tokyo = { timeZone: "Asia/Tokyo" };

test.for<
  Readonly<{
    by: DueTime;
    windows?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    asked?: string;
    is: string;
  }>
>([
  { by: { weekday: 6 }, is: "2026-11-28T05:00:00.000Z America/New_York" },
  { by: { weekday: 5 }, is: "2026-12-04T05:00:00.000Z America/New_York" },
  { by: { weekday: 0 }, is: "2026-11-29T05:00:00.000Z America/New_York" },
  { by: { weekday: 6 }, windows: { night: oslo }, is: "2026-11-27T23:00:00.000Z Europe/Oslo" },
  {
    by: { weekday: 6 },
    windows: { a: { ...oslo, ...of("a") }, b: { ...tokyo, ...of("b") } },
    asked: "UTC",
    is: "2026-11-28T00:00:00.000Z UTC",
  },
  {
    by: { weekday: 6 },
    windows: { a: oslo, b: { ...tokyo, ...of("c") } },
    is: "2026-11-27T23:00:00.000Z Europe/Oslo",
  },
  { by: { day: 20_792 }, windows: { night: oslo }, is: "2026-12-04T23:00:00.000Z Europe/Oslo" },
  { by: { at: now }, windows: { night: oslo }, is: "2026-11-27T12:00:00.000Z UTC" },
  { by: { windows: true }, windows: { night: oslo }, is: "2026-11-28T02:00:00.000Z Europe/Oslo" },
  {
    by: { windows: true },
    windows: { open: { ...of("a"), schedule: "0 11 * * *" }, night: of("b") },
    is: "2026-11-28T03:00:00.000Z UTC",
  },
])(
  "When $by is asked for with the windows $windows, clusters should be due at $is",
  ({ by, windows = {}, asked, is }) => {
    const due = dueOf(by, inputOf(windows), {
      asked: asked === undefined ? undefined : zone(asked),
      local,
      utc,
    });
    expect("problem" in due ? due.problem : `${due.at.toISOString()} ${due.zone.name}`).toBe(is);
  },
);

test("When windows have several zones, or none opens, the problem should say so", () => {
  const several = inputOf({ a: { ...oslo, ...of("a") }, b: { ...tokyo, ...of("b") } });
  const zones = { asked: undefined, local, utc };
  expect(dueOf({ weekday: 6 }, several, zones)).toEqual({
    problem: "its windows have several time zones (Europe/Oslo, Asia/Tokyo)",
  });
  expect(dueOf({ windows: true }, inputOf({}), zones)).toEqual({
    problem: "no window of its clusters has an opening with an end",
  });
});

test.for([
  {
    what: "is done before its own window closes",
    windows: { a: of("a"), b: { ...of("b"), schedule: "0 3 * * *" } },
    answer:
      "yes: all 2 clusters have their images by the end of the next opening (the last ends Sat 2026-11-28 05:00 UTC): expected Sat 2026-11-28 03:12 UTC, at the latest Sat 2026-11-28 03:17 UTC",
  },
  {
    what: "does not fit into its own window, although another one closes later",
    windows: { a: { ...of("a"), duration: "5m" }, b: of("b") },
    answer:
      "no: 1 of 2 clusters is late for the end of the next opening (the last ends Sat 2026-11-28 03:00 UTC)",
  },
])(
  "When each cluster is due at the end of its window and one $what, the answer should say so",
  ({ windows, answer }) => {
    const input = inputOf(windows);
    const due = dueOf({ windows: true }, input, { asked: undefined, local, utc });
    if ("problem" in due) throw new Error(due.problem);
    expect(forecastFor(input, due).answer).toBe(answer);
  },
);

test.for([
  {
    what: "spaceRequired can be pulled in time",
    hours: 3,
    answer: /^yes: all 2 clusters have their images by Fri 2026-11-27 15:00 UTC: expected /,
    reason: "",
  },
  {
    what: "spaceRequired cannot be pulled in time",
    hours: 0.25,
    answer: /^unknown: .* but the end of 2 of 2 clusters is unknown$/,
    reason: "With all 45.0 GiB of spaceRequired it is late; its download is unknown: --size gives it.",
  },
])("When sizes are unknown and $what, the answer should not claim more", ({ hours, answer, reason }) => {
  const input = inputOf({});
  const { upgrade } = input;
  const unknown = {
    ...input,
    upgrade: { ...upgrade, content: { ...upgrade.content, spaceRequired: "45" } },
    measuredBytesOf: () => undefined,
  };
  const due = { at: new Date(now.getTime() + hours * 3_600_000), zone: utc };
  const found = forecastFor(unknown, due);
  expect(found.answer).toMatch(answer);
  expect(found.byCluster.map((one) => one.reason)).toEqual([reason, reason]);
  expect(found.late).toBe(0);
});

test("When sizes are unknown, the answer should be that the end is unknown", () => {
  const input = { ...inputOf({}), measuredBytesOf: () => undefined };
  expect(forecastFor(input, { at: now, zone: zone("Europe/Oslo") }).answer).toBe(
    "unknown: no cluster is known to be late for Fri 2026-11-27 13:00 Europe/Oslo, but the end of 2 of 2 clusters is unknown",
  );
});

test("When sizes of images are given, those of a content should be added, and the first without one be named", () => {
  const content = {
    ...emptySpec,
    platformImage: "quay.io/release@sha256:1",
    operatorsIndexes: ["quay.io/index:v1"],
    additionalImages: ["quay.io/index:v1", "quay.io/app:2"],
  };
  const sizes = { "quay.io/release": 5, "quay.io/index": 3, "quay.io/app": 100, "quay.io/app:2": 1 };
  const some = Object.entries(sizes);
  expect(givenBytes({ byImage: new Map(some) }, content)).toBe(9);
  expect(givenBytes({ byImage: new Map(some.slice(0, 2)) }, content)).toEqual({ missing: "quay.io/app:2" });
  expect(givenBytes({ inAll: 7 }, content)).toBe(7);
});
