import { expect, test } from "vitest";
import { aWindow } from "./fixtures.ts";
import { nextOpenings, nextStart, openingAt } from "./openings.ts";

/*
 * The expected instants were made from the IANA database by another implementation (Python's zoneinfo, counting
 * minute by minute), so that an error of the library or of this module would differ from them.
 */
const cases: readonly Readonly<{
  about: string;
  spec: Readonly<Record<string, unknown>>;
  now: string;
  openings: readonly string[];
}>[] = [
  {
    about: "gap berlin 0230",
    spec: {
      schedule: "30 2 * * *",
      timeZone: "Europe/Berlin",
      duration: "2h",
    },
    now: "2026-03-28T12:00:00Z",
    openings: [
      "2026-03-29T01:00:00Z 2026-03-29T03:00:00Z",
      "2026-03-30T00:30:00Z 2026-03-30T02:30:00Z",
      "2026-03-31T00:30:00Z 2026-03-31T02:30:00Z",
    ],
  },
  {
    about: "gap berlin 0200",
    spec: {
      schedule: "0 2 * * *",
      timeZone: "Europe/Berlin",
      duration: "2h",
    },
    now: "2026-03-28T12:00:00Z",
    openings: [
      "2026-03-29T01:00:00Z 2026-03-29T03:00:00Z",
      "2026-03-30T00:00:00Z 2026-03-30T02:00:00Z",
      "2026-03-31T00:00:00Z 2026-03-31T02:00:00Z",
    ],
  },
  {
    about: "gap berlin 0300",
    spec: {
      schedule: "0 3 * * *",
      timeZone: "Europe/Berlin",
      duration: "2h",
    },
    now: "2026-03-28T12:00:00Z",
    openings: [
      "2026-03-29T01:00:00Z 2026-03-29T03:00:00Z",
      "2026-03-30T01:00:00Z 2026-03-30T03:00:00Z",
      "2026-03-31T01:00:00Z 2026-03-31T03:00:00Z",
    ],
  },
  {
    about: "gap berlin */30 around",
    spec: {
      schedule: "*/30 * * * *",
      timeZone: "Europe/Berlin",
      duration: "10m",
    },
    now: "2026-03-29T00:10:00Z",
    openings: [
      "2026-03-29T00:30:00Z 2026-03-29T00:40:00Z",
      "2026-03-29T01:00:00Z 2026-03-29T01:10:00Z",
      "2026-03-29T01:30:00Z 2026-03-29T01:40:00Z",
      "2026-03-29T02:00:00Z 2026-03-29T02:10:00Z",
      "2026-03-29T02:30:00Z 2026-03-29T02:40:00Z",
      "2026-03-29T03:00:00Z 2026-03-29T03:10:00Z",
    ],
  },
  {
    about: "gap berlin two wall times one instant",
    spec: {
      schedule: "15,45 2 * * *",
      timeZone: "Europe/Berlin",
      duration: "10m",
    },
    now: "2026-03-28T23:00:00Z",
    openings: [
      "2026-03-29T01:00:00Z 2026-03-29T01:10:00Z",
      "2026-03-30T00:15:00Z 2026-03-30T00:25:00Z",
      "2026-03-30T00:45:00Z 2026-03-30T00:55:00Z",
      "2026-03-31T00:15:00Z 2026-03-31T00:25:00Z",
    ],
  },
  {
    about: "overlap berlin 0230",
    spec: {
      schedule: "30 2 * * *",
      timeZone: "Europe/Berlin",
      duration: "2h",
    },
    now: "2026-10-24T12:00:00Z",
    openings: [
      "2026-10-25T00:30:00Z 2026-10-25T02:30:00Z",
      "2026-10-26T01:30:00Z 2026-10-26T03:30:00Z",
      "2026-10-27T01:30:00Z 2026-10-27T03:30:00Z",
    ],
  },
  {
    about: "overlap berlin now between",
    spec: {
      schedule: "30 2 * * *",
      timeZone: "Europe/Berlin",
      duration: "30m",
    },
    now: "2026-10-25T01:10:00Z",
    openings: ["2026-10-26T01:30:00Z 2026-10-26T02:00:00Z", "2026-10-27T01:30:00Z 2026-10-27T02:00:00Z"],
  },
  {
    about: "overlap berlin now in first",
    spec: {
      schedule: "30 2 * * *",
      timeZone: "Europe/Berlin",
      duration: "30m",
    },
    now: "2026-10-25T00:40:00Z",
    openings: ["2026-10-25T00:30:00Z 2026-10-25T01:00:00Z", "2026-10-26T01:30:00Z 2026-10-26T02:00:00Z"],
  },
  {
    about: "overlap berlin running 3h",
    spec: {
      schedule: "30 1 * * *",
      timeZone: "Europe/Berlin",
      duration: "3h",
    },
    now: "2026-10-25T02:00:00Z",
    openings: ["2026-10-24T23:30:00Z 2026-10-25T02:30:00Z", "2026-10-26T00:30:00Z 2026-10-26T03:30:00Z"],
  },
  {
    about: "overlap berlin */30",
    spec: {
      schedule: "*/30 * * * *",
      timeZone: "Europe/Berlin",
      duration: "10m",
    },
    now: "2026-10-24T23:10:00Z",
    openings: [
      "2026-10-24T23:30:00Z 2026-10-24T23:40:00Z",
      "2026-10-25T00:00:00Z 2026-10-25T00:10:00Z",
      "2026-10-25T00:30:00Z 2026-10-25T00:40:00Z",
      "2026-10-25T02:00:00Z 2026-10-25T02:10:00Z",
      "2026-10-25T02:30:00Z 2026-10-25T02:40:00Z",
      "2026-10-25T03:00:00Z 2026-10-25T03:10:00Z",
      "2026-10-25T03:30:00Z 2026-10-25T03:40:00Z",
      "2026-10-25T04:00:00Z 2026-10-25T04:10:00Z",
    ],
  },
  {
    about: "overlap berlin hourly",
    spec: {
      schedule: "0 * * * *",
      timeZone: "Europe/Berlin",
      duration: "10m",
    },
    now: "2026-10-24T22:30:00Z",
    openings: [
      "2026-10-24T23:00:00Z 2026-10-24T23:10:00Z",
      "2026-10-25T00:00:00Z 2026-10-25T00:10:00Z",
      "2026-10-25T02:00:00Z 2026-10-25T02:10:00Z",
      "2026-10-25T03:00:00Z 2026-10-25T03:10:00Z",
      "2026-10-25T04:00:00Z 2026-10-25T04:10:00Z",
      "2026-10-25T05:00:00Z 2026-10-25T05:10:00Z",
    ],
  },
  {
    about: "gap new york",
    spec: {
      schedule: "30 2 * * *",
      timeZone: "America/New_York",
      duration: "2h",
    },
    now: "2026-03-07T12:00:00Z",
    openings: [
      "2026-03-08T07:00:00Z 2026-03-08T09:00:00Z",
      "2026-03-09T06:30:00Z 2026-03-09T08:30:00Z",
      "2026-03-10T06:30:00Z 2026-03-10T08:30:00Z",
    ],
  },
  {
    about: "overlap new york",
    spec: {
      schedule: "30 1 * * *",
      timeZone: "America/New_York",
      duration: "2h",
    },
    now: "2026-10-31T12:00:00Z",
    openings: [
      "2026-11-01T05:30:00Z 2026-11-01T07:30:00Z",
      "2026-11-02T06:30:00Z 2026-11-02T08:30:00Z",
      "2026-11-03T06:30:00Z 2026-11-03T08:30:00Z",
    ],
  },
  {
    about: "gap lord howe (half hour)",
    spec: {
      schedule: "15 2 * * *",
      timeZone: "Australia/Lord_Howe",
      duration: "2h",
    },
    now: "2026-10-02T12:00:00Z",
    openings: [
      "2026-10-02T15:45:00Z 2026-10-02T17:45:00Z",
      "2026-10-03T15:30:00Z 2026-10-03T17:30:00Z",
      "2026-10-04T15:15:00Z 2026-10-04T17:15:00Z",
      "2026-10-05T15:15:00Z 2026-10-05T17:15:00Z",
    ],
  },
  {
    about: "overlap lord howe",
    spec: {
      schedule: "45 1 * * *",
      timeZone: "Australia/Lord_Howe",
      duration: "2h",
    },
    now: "2026-04-03T00:00:00Z",
    openings: [
      "2026-04-03T14:45:00Z 2026-04-03T16:45:00Z",
      "2026-04-04T14:45:00Z 2026-04-04T16:45:00Z",
      "2026-04-05T15:15:00Z 2026-04-05T17:15:00Z",
      "2026-04-06T15:15:00Z 2026-04-06T17:15:00Z",
    ],
  },
  {
    about: "gap at midnight Cairo",
    spec: {
      schedule: "0 0 * * *",
      timeZone: "Africa/Cairo",
      duration: "2h",
    },
    now: "2026-04-22T12:00:00Z",
    openings: [
      "2026-04-22T22:00:00Z 2026-04-23T00:00:00Z",
      "2026-04-23T22:00:00Z 2026-04-24T00:00:00Z",
      "2026-04-24T21:00:00Z 2026-04-24T23:00:00Z",
      "2026-04-25T21:00:00Z 2026-04-25T23:00:00Z",
    ],
  },
  {
    about: "overlap at midnight Havana",
    spec: {
      schedule: "30 0 * * *",
      timeZone: "America/Havana",
      duration: "2h",
    },
    now: "2026-10-30T12:00:00Z",
    openings: [
      "2026-10-31T04:30:00Z 2026-10-31T06:30:00Z",
      "2026-11-01T04:30:00Z 2026-11-01T06:30:00Z",
      "2026-11-02T05:30:00Z 2026-11-02T07:30:00Z",
      "2026-11-03T05:30:00Z 2026-11-03T07:30:00Z",
    ],
  },
  {
    about: "gap santiago midnight",
    spec: {
      schedule: "0 0 * * *",
      timeZone: "America/Santiago",
      duration: "2h",
    },
    now: "2026-09-04T12:00:00Z",
    openings: [
      "2026-09-05T04:00:00Z 2026-09-05T06:00:00Z",
      "2026-09-06T04:00:00Z 2026-09-06T06:00:00Z",
      "2026-09-07T03:00:00Z 2026-09-07T05:00:00Z",
      "2026-09-08T03:00:00Z 2026-09-08T05:00:00Z",
    ],
  },
  {
    about: "kathmandu",
    spec: {
      schedule: "15 3 * * *",
      timeZone: "Asia/Kathmandu",
      duration: "45m",
    },
    now: "2026-05-05T00:00:00Z",
    openings: ["2026-05-05T21:30:00Z 2026-05-05T22:15:00Z", "2026-05-06T21:30:00Z 2026-05-06T22:15:00Z"],
  },
  {
    about: "year end berlin",
    spec: {
      schedule: "0 23 31 12 *",
      timeZone: "Europe/Berlin",
      duration: "4h",
    },
    now: "2026-12-31T22:30:00Z",
    openings: ["2026-12-31T22:00:00Z 2027-01-01T02:00:00Z", "2027-12-31T22:00:00Z 2028-01-01T02:00:00Z"],
  },
  {
    about: "year end every night",
    spec: {
      schedule: "0 23 * * *",
      timeZone: "Pacific/Auckland",
      duration: "3h",
    },
    now: "2026-12-30T12:00:00Z",
    openings: [
      "2026-12-30T10:00:00Z 2026-12-30T13:00:00Z",
      "2026-12-31T10:00:00Z 2026-12-31T13:00:00Z",
      "2027-01-01T10:00:00Z 2027-01-01T13:00:00Z",
      "2027-01-02T10:00:00Z 2027-01-02T13:00:00Z",
    ],
  },
  {
    about: "leap day",
    spec: {
      schedule: "0 2 29 2 *",
      timeZone: "UTC",
      duration: "2h",
    },
    now: "2026-01-01T00:00:00Z",
    openings: ["2028-02-29T02:00:00Z 2028-02-29T04:00:00Z", "2032-02-29T02:00:00Z 2032-02-29T04:00:00Z"],
  },
  {
    about: "now is start",
    spec: {
      schedule: "0 2 * * *",
      timeZone: "UTC",
      duration: "2h",
    },
    now: "2026-05-01T02:00:00Z",
    openings: ["2026-05-01T02:00:00Z 2026-05-01T04:00:00Z", "2026-05-02T02:00:00Z 2026-05-02T04:00:00Z"],
  },
  {
    about: "now is end",
    spec: {
      schedule: "0 2 * * *",
      timeZone: "UTC",
      duration: "2h",
    },
    now: "2026-05-01T04:00:00Z",
    openings: ["2026-05-02T02:00:00Z 2026-05-02T04:00:00Z", "2026-05-03T02:00:00Z 2026-05-03T04:00:00Z"],
  },
  {
    about: "now one ms before end",
    spec: {
      schedule: "0 2 * * *",
      timeZone: "UTC",
      duration: "2h",
    },
    now: "2026-05-01T03:59:59.999Z",
    openings: ["2026-05-01T02:00:00Z 2026-05-01T04:00:00Z", "2026-05-02T02:00:00Z 2026-05-02T04:00:00Z"],
  },
  {
    about: "now with offset",
    spec: {
      schedule: "0 2 * * *",
      timeZone: "UTC",
      duration: "2h",
    },
    now: "2026-05-01T05:30:00+02:00",
    openings: ["2026-05-01T02:00:00Z 2026-05-01T04:00:00Z"],
  },
  {
    about: "next 1 running",
    spec: {
      schedule: "0 2 * * *",
      timeZone: "UTC",
      duration: "2h",
    },
    now: "2026-05-01T03:00:00Z",
    openings: ["2026-05-01T02:00:00Z 2026-05-01T04:00:00Z"],
  },
  {
    about: "excl by local date of start",
    spec: {
      schedule: "30 23 * * *",
      timeZone: "America/Denver",
      duration: "2h",
      exclusions: [
        {
          from: "2026-05-02",
          to: "2026-05-02",
        },
      ],
    },
    now: "2026-05-01T00:00:00Z",
    openings: [
      "2026-05-01T05:30:00Z 2026-05-01T07:30:00Z",
      "2026-05-02T05:30:00Z 2026-05-02T07:30:00Z",
      "2026-05-04T05:30:00Z 2026-05-04T07:30:00Z",
      "2026-05-05T05:30:00Z 2026-05-05T07:30:00Z",
    ],
  },
  {
    about: "excl, UTC date differs",
    spec: {
      schedule: "0 1 * * *",
      timeZone: "Asia/Tokyo",
      duration: "2h",
      exclusions: [
        {
          from: "2026-05-02",
          to: "2026-05-02",
        },
      ],
    },
    now: "2026-04-30T20:00:00Z",
    openings: [
      "2026-05-02T16:00:00Z 2026-05-02T18:00:00Z",
      "2026-05-03T16:00:00Z 2026-05-03T18:00:00Z",
      "2026-05-04T16:00:00Z 2026-05-04T18:00:00Z",
    ],
  },
  {
    about: "begun before freeze runs on",
    spec: {
      schedule: "0 22 * * *",
      timeZone: "Europe/Berlin",
      duration: "6h",
      exclusions: [
        {
          from: "2026-05-02",
          to: "2026-05-03",
        },
      ],
    },
    now: "2026-05-02T01:00:00Z",
    openings: ["2026-05-01T20:00:00Z 2026-05-02T02:00:00Z", "2026-05-04T20:00:00Z 2026-05-05T02:00:00Z"],
  },
  {
    about: "freeze over year end",
    spec: {
      schedule: "0 2 * * *",
      timeZone: "Europe/Berlin",
      duration: "2h",
      exclusions: [
        {
          from: "2026-12-21",
          to: "2027-01-06",
        },
      ],
    },
    now: "2026-12-20T12:00:00Z",
    openings: ["2027-01-07T01:00:00Z 2027-01-07T03:00:00Z", "2027-01-08T01:00:00Z 2027-01-08T03:00:00Z"],
  },
  {
    about: "freeze one day",
    spec: {
      schedule: "0 2 * * SAT,SUN",
      timeZone: "Europe/Berlin",
      duration: "2h30m",
      exclusions: [
        {
          from: "2026-12-26",
          to: "2026-12-26",
        },
      ],
    },
    now: "2026-12-20T12:00:00Z",
    openings: [
      "2026-12-27T01:00:00Z 2026-12-27T03:30:00Z",
      "2027-01-02T01:00:00Z 2027-01-02T03:30:00Z",
      "2027-01-03T01:00:00Z 2027-01-03T03:30:00Z",
    ],
  },
  {
    about: "two freezes",
    spec: {
      schedule: "0 2 * * *",
      timeZone: "UTC",
      duration: "2h",
      exclusions: [
        {
          from: "2026-05-02",
          to: "2026-05-03",
        },
        {
          from: "2026-05-03",
          to: "2026-05-05",
        },
      ],
    },
    now: "2026-05-01T12:00:00Z",
    openings: ["2026-05-06T02:00:00Z 2026-05-06T04:00:00Z", "2026-05-07T02:00:00Z 2026-05-07T04:00:00Z"],
  },
  {
    about: "gap into excluded next date cairo",
    spec: {
      schedule: "0 0 * * *",
      timeZone: "Africa/Cairo",
      duration: "2h",
      exclusions: [
        {
          from: "2026-04-24",
          to: "2026-04-24",
        },
      ],
    },
    now: "2026-04-22T12:00:00Z",
    openings: [
      "2026-04-22T22:00:00Z 2026-04-23T00:00:00Z",
      "2026-04-24T21:00:00Z 2026-04-24T23:00:00Z",
      "2026-04-25T21:00:00Z 2026-04-25T23:00:00Z",
    ],
  },
  {
    about: "overlap openings longer than period",
    spec: {
      schedule: "0 * * * *",
      timeZone: "UTC",
      duration: "3h",
    },
    now: "2026-05-01T12:30:00Z",
    openings: [
      "2026-05-01T10:00:00Z 2026-05-01T13:00:00Z",
      "2026-05-01T11:00:00Z 2026-05-01T14:00:00Z",
      "2026-05-01T12:00:00Z 2026-05-01T15:00:00Z",
      "2026-05-01T13:00:00Z 2026-05-01T16:00:00Z",
      "2026-05-01T14:00:00Z 2026-05-01T17:00:00Z",
    ],
  },
  {
    about: "overlap openings 36h daily",
    spec: {
      schedule: "0 6 * * *",
      timeZone: "UTC",
      duration: "36h",
    },
    now: "2026-05-02T12:00:00Z",
    openings: [
      "2026-05-01T06:00:00Z 2026-05-02T18:00:00Z",
      "2026-05-02T06:00:00Z 2026-05-03T18:00:00Z",
      "2026-05-03T06:00:00Z 2026-05-04T18:00:00Z",
      "2026-05-04T06:00:00Z 2026-05-05T18:00:00Z",
    ],
  },
  {
    about: "back to back",
    spec: {
      schedule: "0 * * * *",
      timeZone: "UTC",
      duration: "1h",
    },
    now: "2026-05-01T12:00:00Z",
    openings: [
      "2026-05-01T12:00:00Z 2026-05-01T13:00:00Z",
      "2026-05-01T13:00:00Z 2026-05-01T14:00:00Z",
      "2026-05-01T14:00:00Z 2026-05-01T15:00:00Z",
    ],
  },
  {
    about: "names",
    spec: {
      schedule: "0 2 * JAN,jul MON-FRI",
      timeZone: "UTC",
      duration: "2h",
    },
    now: "2026-06-28T00:00:00Z",
    openings: [
      "2026-07-01T02:00:00Z 2026-07-01T04:00:00Z",
      "2026-07-02T02:00:00Z 2026-07-02T04:00:00Z",
      "2026-07-03T02:00:00Z 2026-07-03T04:00:00Z",
    ],
  },
  {
    about: "sunday as 7",
    spec: {
      schedule: "0 2 * * 7",
      timeZone: "UTC",
      duration: "2h",
    },
    now: "2026-05-01T00:00:00Z",
    openings: ["2026-05-03T02:00:00Z 2026-05-03T04:00:00Z", "2026-05-10T02:00:00Z 2026-05-10T04:00:00Z"],
  },
  {
    about: "friday to sunday",
    spec: {
      schedule: "0 2 * * 5-7",
      timeZone: "UTC",
      duration: "2h",
    },
    now: "2026-05-01T00:00:00Z",
    openings: [
      "2026-05-01T02:00:00Z 2026-05-01T04:00:00Z",
      "2026-05-02T02:00:00Z 2026-05-02T04:00:00Z",
      "2026-05-03T02:00:00Z 2026-05-03T04:00:00Z",
      "2026-05-08T02:00:00Z 2026-05-08T04:00:00Z",
    ],
  },
  {
    about: "dom or dow",
    spec: {
      schedule: "0 2 13 * FRI",
      timeZone: "UTC",
      duration: "2h",
    },
    now: "2026-05-01T00:00:00Z",
    openings: [
      "2026-05-01T02:00:00Z 2026-05-01T04:00:00Z",
      "2026-05-08T02:00:00Z 2026-05-08T04:00:00Z",
      "2026-05-13T02:00:00Z 2026-05-13T04:00:00Z",
      "2026-05-15T02:00:00Z 2026-05-15T04:00:00Z",
      "2026-05-22T02:00:00Z 2026-05-22T04:00:00Z",
      "2026-05-29T02:00:00Z 2026-05-29T04:00:00Z",
    ],
  },
  {
    about: "question marks",
    spec: {
      schedule: "0 2 ? * *",
      timeZone: "UTC",
      duration: "2h",
    },
    now: "2026-05-01T00:00:00Z",
    openings: ["2026-05-01T02:00:00Z 2026-05-01T04:00:00Z", "2026-05-02T02:00:00Z 2026-05-02T04:00:00Z"],
  },
  {
    about: "step from",
    spec: {
      schedule: "5/20 3 * * *",
      timeZone: "UTC",
      duration: "5m",
    },
    now: "2026-05-01T00:00:00Z",
    openings: [
      "2026-05-01T03:05:00Z 2026-05-01T03:10:00Z",
      "2026-05-01T03:25:00Z 2026-05-01T03:30:00Z",
      "2026-05-01T03:45:00Z 2026-05-01T03:50:00Z",
      "2026-05-02T03:05:00Z 2026-05-02T03:10:00Z",
    ],
  },
  {
    about: "range step",
    spec: {
      schedule: "0 0-6/2 * * *",
      timeZone: "UTC",
      duration: "5m",
    },
    now: "2026-05-01T00:00:00Z",
    openings: [
      "2026-05-01T00:00:00Z 2026-05-01T00:05:00Z",
      "2026-05-01T02:00:00Z 2026-05-01T02:05:00Z",
      "2026-05-01T04:00:00Z 2026-05-01T04:05:00Z",
      "2026-05-01T06:00:00Z 2026-05-01T06:05:00Z",
      "2026-05-02T00:00:00Z 2026-05-02T00:05:00Z",
    ],
  },
  {
    about: "@daily",
    spec: {
      schedule: "@daily",
      timeZone: "Europe/London",
      duration: "2h",
    },
    now: "2026-05-01T00:00:00Z",
    openings: ["2026-04-30T23:00:00Z 2026-05-01T01:00:00Z", "2026-05-01T23:00:00Z 2026-05-02T01:00:00Z"],
  },
  {
    about: "@weekly",
    spec: {
      schedule: "@weekly",
      timeZone: "Europe/London",
      duration: "2h",
    },
    now: "2026-05-01T00:00:00Z",
    openings: ["2026-05-02T23:00:00Z 2026-05-03T01:00:00Z", "2026-05-09T23:00:00Z 2026-05-10T01:00:00Z"],
  },
  {
    about: "@monthly",
    spec: {
      schedule: "@monthly",
      timeZone: "Europe/London",
      duration: "2h",
    },
    now: "2026-05-01T00:00:00Z",
    openings: ["2026-04-30T23:00:00Z 2026-05-01T01:00:00Z", "2026-05-31T23:00:00Z 2026-06-01T01:00:00Z"],
  },
  {
    about: "@yearly",
    spec: {
      schedule: "@yearly",
      timeZone: "Europe/London",
      duration: "2h",
    },
    now: "2026-05-01T00:00:00Z",
    openings: ["2027-01-01T00:00:00Z 2027-01-01T02:00:00Z", "2028-01-01T00:00:00Z 2028-01-01T02:00:00Z"],
  },
  {
    about: "@hourly",
    spec: {
      schedule: "@hourly",
      timeZone: "Asia/Kolkata",
      duration: "10m",
    },
    now: "2026-05-01T00:00:00Z",
    openings: [
      "2026-05-01T00:30:00Z 2026-05-01T00:40:00Z",
      "2026-05-01T01:30:00Z 2026-05-01T01:40:00Z",
      "2026-05-01T02:30:00Z 2026-05-01T02:40:00Z",
    ],
  },
  {
    about: "@midnight",
    spec: {
      schedule: "@midnight",
      timeZone: "Asia/Kolkata",
      duration: "10m",
    },
    now: "2026-05-01T00:00:00Z",
    openings: [
      "2026-05-01T18:30:00Z 2026-05-01T18:40:00Z",
      "2026-05-02T18:30:00Z 2026-05-02T18:40:00Z",
      "2026-05-03T18:30:00Z 2026-05-03T18:40:00Z",
    ],
  },
  {
    about: "L",
    spec: {
      schedule: "0 2 L * *",
      timeZone: "UTC",
      duration: "2h",
    },
    now: "2026-01-15T00:00:00Z",
    openings: [
      "2026-01-31T02:00:00Z 2026-01-31T04:00:00Z",
      "2026-02-28T02:00:00Z 2026-02-28T04:00:00Z",
      "2026-03-31T02:00:00Z 2026-03-31T04:00:00Z",
      "2026-04-30T02:00:00Z 2026-04-30T04:00:00Z",
    ],
  },
  {
    about: "last friday",
    spec: {
      schedule: "0 2 * * 5L",
      timeZone: "UTC",
      duration: "2h",
    },
    now: "2026-01-15T00:00:00Z",
    openings: [
      "2026-01-30T02:00:00Z 2026-01-30T04:00:00Z",
      "2026-02-27T02:00:00Z 2026-02-27T04:00:00Z",
      "2026-03-27T02:00:00Z 2026-03-27T04:00:00Z",
    ],
  },
  {
    about: "second tuesday",
    spec: {
      schedule: "0 2 * * TUE#2",
      timeZone: "UTC",
      duration: "2h",
    },
    now: "2026-01-15T00:00:00Z",
    openings: [
      "2026-02-10T02:00:00Z 2026-02-10T04:00:00Z",
      "2026-03-10T02:00:00Z 2026-03-10T04:00:00Z",
      "2026-04-14T02:00:00Z 2026-04-14T04:00:00Z",
    ],
  },
  {
    about: "alias US/Eastern",
    spec: {
      schedule: "0 2 * * *",
      timeZone: "US/Eastern",
      duration: "2h",
    },
    now: "2026-07-01T00:00:00Z",
    openings: ["2026-07-01T06:00:00Z 2026-07-01T08:00:00Z", "2026-07-02T06:00:00Z 2026-07-02T08:00:00Z"],
  },
  {
    about: "alias Asia/Calcutta",
    spec: {
      schedule: "0 2 * * *",
      timeZone: "Asia/Calcutta",
      duration: "2h",
    },
    now: "2026-07-01T00:00:00Z",
    openings: ["2026-07-01T20:30:00Z 2026-07-01T22:30:00Z", "2026-07-02T20:30:00Z 2026-07-02T22:30:00Z"],
  },
  {
    about: "Etc/GMT+5",
    spec: {
      schedule: "0 2 * * *",
      timeZone: "Etc/GMT+5",
      duration: "2h",
    },
    now: "2026-07-01T00:00:00Z",
    openings: ["2026-07-01T07:00:00Z 2026-07-01T09:00:00Z", "2026-07-02T07:00:00Z 2026-07-02T09:00:00Z"],
  },
  {
    about: "lower-case zone",
    spec: {
      schedule: "0 2 * * *",
      timeZone: "europe/berlin",
      duration: "2h",
    },
    now: "2026-07-01T00:00:00Z",
    openings: ["2026-07-01T00:00:00Z 2026-07-01T02:00:00Z", "2026-07-02T00:00:00Z 2026-07-02T02:00:00Z"],
  },
  {
    about: "UTC",
    spec: {
      schedule: "0 2 * * *",
      timeZone: "UTC",
      duration: "2h",
    },
    now: "2026-07-01T00:00:00Z",
    openings: ["2026-07-01T02:00:00Z 2026-07-01T04:00:00Z", "2026-07-02T02:00:00Z 2026-07-02T04:00:00Z"],
  },
  {
    about: "90m",
    spec: {
      schedule: "0 2 * * *",
      timeZone: "UTC",
      duration: "90m",
    },
    now: "2026-07-01T00:00:00Z",
    openings: ["2026-07-01T02:00:00Z 2026-07-01T03:30:00Z"],
  },
  {
    about: "seconds in duration",
    spec: {
      schedule: "0 2 * * *",
      timeZone: "UTC",
      duration: "1h0m30s",
    },
    now: "2026-07-01T00:00:00Z",
    openings: ["2026-07-01T02:00:00Z 2026-07-01T03:00:30Z"],
  },
  {
    about: "1.5h",
    spec: {
      schedule: "0 2 * * *",
      timeZone: "UTC",
      duration: "1.5h",
    },
    now: "2026-07-01T00:00:00Z",
    openings: ["2026-07-01T02:00:00Z 2026-07-01T03:30:00Z"],
  },
  {
    about: "500ms",
    spec: {
      schedule: "0 2 * * *",
      timeZone: "UTC",
      duration: "1500ms",
    },
    now: "2026-07-01T00:00:00Z",
    openings: ["2026-07-01T02:00:00Z 2026-07-01T02:00:01.500Z"],
  },
  {
    about: "dublin negative dst",
    spec: {
      schedule: "30 1 * * *",
      timeZone: "Europe/Dublin",
      duration: "2h",
    },
    now: "2026-10-24T12:00:00Z",
    openings: [
      "2026-10-25T00:30:00Z 2026-10-25T02:30:00Z",
      "2026-10-26T01:30:00Z 2026-10-26T03:30:00Z",
      "2026-10-27T01:30:00Z 2026-10-27T03:30:00Z",
    ],
  },
  {
    about: "dublin gap",
    spec: {
      schedule: "30 1 * * *",
      timeZone: "Europe/Dublin",
      duration: "2h",
    },
    now: "2026-03-28T12:00:00Z",
    openings: [
      "2026-03-29T01:00:00Z 2026-03-29T03:00:00Z",
      "2026-03-30T00:30:00Z 2026-03-30T02:30:00Z",
      "2026-03-31T00:30:00Z 2026-03-31T02:30:00Z",
    ],
  },
  {
    about: "casablanca ramadan",
    spec: {
      schedule: "30 2 * * *",
      timeZone: "Africa/Casablanca",
      duration: "2h",
    },
    now: "2026-02-13T12:00:00Z",
    openings: [
      "2026-02-14T01:30:00Z 2026-02-14T03:30:00Z",
      "2026-02-15T01:30:00Z 2026-02-15T03:30:00Z",
      "2026-02-16T02:30:00Z 2026-02-16T04:30:00Z",
      "2026-02-17T02:30:00Z 2026-02-17T04:30:00Z",
    ],
  },
  {
    about: "casablanca back",
    spec: {
      schedule: "30 2 * * *",
      timeZone: "Africa/Casablanca",
      duration: "2h",
    },
    now: "2026-03-20T12:00:00Z",
    openings: [
      "2026-03-21T02:30:00Z 2026-03-21T04:30:00Z",
      "2026-03-22T02:00:00Z 2026-03-22T04:00:00Z",
      "2026-03-23T01:30:00Z 2026-03-23T03:30:00Z",
      "2026-03-24T01:30:00Z 2026-03-24T03:30:00Z",
    ],
  },
  {
    about: "31st",
    spec: {
      schedule: "0 2 31 * *",
      timeZone: "UTC",
      duration: "2h",
    },
    now: "2026-01-15T00:00:00Z",
    openings: [
      "2026-01-31T02:00:00Z 2026-01-31T04:00:00Z",
      "2026-03-31T02:00:00Z 2026-03-31T04:00:00Z",
      "2026-05-31T02:00:00Z 2026-05-31T04:00:00Z",
      "2026-07-31T02:00:00Z 2026-07-31T04:00:00Z",
    ],
  },
  {
    about: "far freeze every minute",
    spec: {
      schedule: "* * * * *",
      timeZone: "UTC",
      duration: "1m",
      exclusions: [
        {
          from: "2026-01-01",
          to: "2027-12-31",
        },
      ],
    },
    now: "2026-05-01T00:00:00Z",
    openings: ["2028-01-01T00:00:00Z 2028-01-01T00:01:00Z", "2028-01-01T00:01:00Z 2028-01-01T00:02:00Z"],
  },
  {
    about: "run in the gap: elapsed time",
    spec: {
      schedule: "0 1 * * *",
      timeZone: "Europe/Berlin",
      duration: "3h",
    },
    now: "2026-03-28T12:00:00Z",
    openings: ["2026-03-29T00:00:00Z 2026-03-29T03:00:00Z", "2026-03-29T23:00:00Z 2026-03-30T02:00:00Z"],
  },
  {
    about: "extra blanks",
    spec: {
      schedule: " 0  2\t* * * ",
      timeZone: "UTC",
      duration: "2h",
    },
    now: "2026-05-01T00:00:00Z",
    openings: ["2026-05-01T02:00:00Z 2026-05-01T04:00:00Z"],
  },
];

test.for(cases)("$about: from $now on it should open at $openings", ({ spec, now, openings }) => {
  const window = aWindow(spec);
  const at = new Date(now);
  const found = nextOpenings(window, at, openings.length);
  const shown = (instant: Date) => instant.toISOString().replace(".000Z", "Z");
  expect(found.map(({ start, end }) => `${shown(start)} ${shown(end)}`)).toEqual(openings);
  expect(openingAt(window, at)).toEqual(found.findLast(({ start }) => start <= at));
  const later = found.find(({ start }) => start > at);
  if (later) expect(nextStart(window, at)).toEqual(later.start);
});
