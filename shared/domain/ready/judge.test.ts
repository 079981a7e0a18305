import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Issue } from "../issues/issue.ts";
import {
  couldNotAsk,
  type JudgedImage,
  judgeImage,
  type LocationResponse,
  type LocationResult,
  nextStep,
  readyReport,
  readyStatuses,
  silentInFront,
  unresponsiveRegistries,
} from "./judge.ts";
import type { ImageLocation, ImageRoute } from "./locations.ts";

const location = (reference: string, more: Partial<ImageLocation> = {}): ImageLocation => ({
  reference,
  isMirror: true,
  insecure: false,
  skipped: undefined,
  name: 0,
  ...more,
});
const blocked: ImageLocation["skipped"] = { reason: "blocked", text: "blocked by quay.io" };
const route: ImageRoute = {
  image: "image",
  locations: [location("m1"), location("m2"), location("source", { isMirror: false })],
};
const found = (more: Partial<Extract<LocationResponse, { result: "found" }>> = {}): LocationResponse => ({
  result: "found",
  bytes: 1,
  lacking: [],
  signatures: undefined,
  ...more,
});
const no = (
  result: "missing" | "unauthorized" | "untrusted" | "unreachable" | "unknown",
): LocationResponse => ({ result, detail: "" });

describe("judgeImage", () => {
  const [missing, unreachable, unauthorized] = [no("missing"), no("unreachable"), no("unauthorized")];
  const nowhere = { m1: missing, m2: missing, source: missing };
  const noSource = { m1: missing, m2: missing, source: unreachable };
  const refused = { m1: missing, m2: unauthorized, source: unreachable };
  const onlyNodes = { m1: no("unknown"), m2: unauthorized, source: unreachable };
  const onlySource = { m1: missing, m2: unreachable, source: found() };
  const byDigest = location("m1", { skipped: { reason: "digest-only", text: "by digest only" } });
  const ofTag = { image: "image", locations: [byDigest, location("source", { isMirror: false })] };
  const noLocation = { image: "image", locations: [location("source", { skipped: blocked })] };
  const short = { image: "app", locations: [location("a"), location("a2"), location("b", { name: 1 })] };
  const absent = { signatures: { state: "absent" } } as const;
  const laterName = { a: found(absent), b: found() };

  type Responses = Readonly<Record<string, LocationResponse>>;
  type Given = Readonly<{ route?: ImageRoute; isDisconnected?: boolean }>;
  test.for<
    readonly [when: string, responses: Responses, status: string, from?: string | null, given?: Given]
  >([
    ["the first mirror has it", { m1: found() }, "ready", "m1"],
    ["the second has it", { m1: no("untrusted"), m2: found() }, "ready", "m2"],
    ["only the source has it", onlySource, "source-only", "source"],
    ["a mirror lacks a blob", { m1: found({ lacking: ["blob"] }) }, "incomplete"],
    ["a mirror lacks a signature", { m1: found(absent) }, "unsigned"],
    ["none has it", nowhere, "missing"],
    ["one refuses the login and the others lack it", refused, "unauthorized"],
    ["only nodes know whether one has it", onlyNodes, "unknown"],
    ["a connected node cannot reach the source", noSource, "unreachable"],
    ["a disconnected node cannot reach the source", noSource, "missing", null, { isDisconnected: true }],
    [
      "a disconnected node may ask no mirror for a tag, and cannot reach the source",
      { source: unreachable },
      "missing",
      null,
      { route: ofTag, isDisconnected: true },
    ],
    ["no location may be tried", {}, "missing", null, { route: noLocation }],
    ["the first name of a short one lacks its signature", laterName, "ready", "b", { route: short }],
  ])("When $0, it should be $2", ([, responses, status, from = null, given = {}]) => {
    const { route: own = route, isDisconnected = false } = given;
    const judged = judgeImage(own, new Map(Object.entries(responses)), { isDisconnected });
    expect(judged).toMatchObject({ status, from });
  });

  test("When locations were tried, each should be reported with its result and why", () => {
    const { tried } = judgeImage(
      { image: "image", locations: [location("m0", { skipped: blocked }), ...route.locations] },
      new Map([
        ["m1", { result: "missing", detail: "the registry does not have it" } as const],
        ["m2", found({ lacking: ["blob a", "blob b", "blob c", "blob d", "blob e"] })],
      ]),
    );
    expect(tried).toEqual([
      { location: "m0", result: "skipped", detail: "blocked by quay.io" },
      { location: "m1", result: "missing", detail: "the registry does not have it" },
      { location: "m2", result: "incomplete", detail: "lacks blob a, blob b, blob c and 2 more" },
    ]);
  });
});

const anyResponse: fc.Arbitrary<LocationResponse> = fc.oneof(
  fc.constantFrom("missing", "unauthorized", "untrusted", "unreachable").map((result) => no(result)),
  fc
    .record({
      lacking: fc.constantFrom([], ["blob"]),
      signatures: fc.constantFrom({ state: "valid" } as const, { state: "absent" } as const, undefined),
    })
    .map((more) => found(more)),
);
const anyRoute = fc
  .array(
    fc.record({
      isMirror: fc.boolean(),
      name: fc.nat({ max: 1 }),
      skipped: fc.constantFrom(undefined, undefined, blocked),
      response: anyResponse,
    }),
    { maxLength: 6 },
  )
  .map((parts) => ({
    route: {
      image: "image",
      locations: parts
        .toSorted((a, b) => a.name - b.name)
        .map(({ response: _, ...more }, index) => location(`l${index}`, more)),
    },
    responses: new Map(parts.map(({ response }, index) => [`l${index}`, response])),
  }));

test("When registries respond with anything, each location should be asked once at most, and nothing after the one that decides", () => {
  fc.assert(
    fc.property(anyRoute, ({ route: own, responses }) => {
      const given = new Map<string, LocationResponse>();
      for (;;) {
        const step = nextStep(own, given);
        if ("end" in step) break;
        expect(given.has(step.next.reference)).toBe(false);
        expect(step.next.skipped).toBeUndefined();
        given.set(step.next.reference, responses.get(step.next.reference) ?? no("missing"));
      }
      const judged = judgeImage(own, given);
      expect(readyStatuses).toContain(judged.status);
      expect(judged.from !== null).toBe(["ready", "source-only"].includes(judged.status));
      // More is known only of locations that a node does not get to.
      const all = judgeImage(own, new Map([...responses, ...given]));
      expect({ ...all, tried: [] }).toEqual({ ...judged, tried: [] });
    }),
  );
});

test.for<readonly [what: string, response: LocationResponse, detail: string]>([
  ["has all of it", found(), ""],
  [
    "has it, signed",
    found({ signatures: { state: "valid" } }),
    "it has the signature that a policy requires",
  ],
  [
    "has it, unsigned",
    found({ signatures: { state: "absent" } }),
    "a policy requires a signature, and none is there",
  ],
  [
    "has it with a wrong signature",
    found({ signatures: { state: "invalid", reason: "another key has signed it" } }),
    "a policy requires a signature, and refuses the one that is there: another key has signed it",
  ],
  [
    "has it with a certificate",
    found({ signatures: { state: "unchecked", reason: "only nodes verify it" } }),
    "a policy requires a signature: only nodes verify it",
  ],
  ["lacks three blobs", found({ lacking: ["a", "b", "c"] }), "lacks a, b, c"],
  ["does not respond", { result: "unreachable", detail: "refused" }, "refused"],
])("When a mirror $0, its detail should say so", ([, response, detail]) => {
  const [tried] = judgeImage(route, new Map([["m1", response]])).tried;
  expect(tried?.detail).toBe(detail);
});

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

  test("When there are several statuses, the summary should count those that occur, and the bytes", () => {
    const { summary } = readyReport(images("ready", "missing", "ready"), 42, [], false);
    expect(summary).toEqual({ images: 3, bytes: 42, byStatus: { ready: 2, missing: 1 } });
  });

  test.for([
    { severity: "error", ready: false },
    { severity: "warning", ready: true },
  ] as const)(
    "When all images are there and an issue is a $severity, ready should be $ready",
    ({ severity, ready }) => {
      const about = {
        code: "ReleaseNotSigned",
        object: { kind: "Release", name: "4.20.4" },
        path: "",
      } as const;
      const issue: Issue = { ...about, severity, value: undefined, message: "", remedy: "" };
      const report = readyReport(images("ready"), 0, [issue], false);
      expect({ ready: report.ready, unasked: couldNotAsk(report, false) }).toEqual({ ready, unasked: false });
    },
  );

  test.for([
    { code: "ReleaseUnreadable", unasked: true },
    { code: "CatalogUnreadable", unasked: true },
    { code: "CatalogEntryMissing", unasked: false },
    { code: "ReleaseNotSigned", unasked: false },
    { code: "UnreadableImageName", unasked: false },
  ] as const)(
    "When a registry is unreachable and $code is an error as well, that nobody could be asked should be $unasked",
    ({ code, unasked }) => {
      const issue: Issue = {
        code,
        severity: "error",
        object: { kind: "Image", name: "a" },
        path: "",
        value: undefined,
        message: "",
        remedy: "",
      };
      const warning: Issue = { ...issue, code: "ReleaseNotSigned", severity: "warning" };
      expect(couldNotAsk(readyReport(images("unreachable"), 0, [issue, warning], true), true)).toBe(unasked);
    },
  );
});

/** An image that was looked for at these locations. */
function anImage(...tried: readonly (readonly [location: string, result: LocationResult])[]): JudgedImage {
  const detail = "the registry did not respond in time";
  return {
    image: "quay.io/ns/app:1",
    status: "ready",
    from: null,
    bytes: null,
    tried: tried.map(([location, result]) => ({ location, result, detail })),
  };
}

test("When a mirror in front does not respond, it should be named once, with what nodes wait there", () => {
  const images = [
    anImage(
      ["hangs.lan/a:1", "unreachable"],
      ["hangs.lan/b:1", "unreachable"],
      ["mirror.lan/a:1", "complete"],
    ),
    anImage(["hangs.lan/b/app:1", "unreachable"], ["mirror.lan/b:1", "missing"], ["quay.io/b:1", "missing"]),
    anImage(["mirror.lan/c:1", "complete"]),
  ];
  const [issue, ...others] = unresponsiveRegistries(images.flatMap(silentInFront), images.length);
  expect(others).toEqual([]);
  expect(issue).toMatchObject({
    code: "RegistryUnresponsive",
    severity: "warning",
    object: { kind: "Registry", name: "hangs.lan" },
    message: expect.stringContaining("for 2 of 3 images (the registry did not respond in time)"),
  });
  expect(issue?.message).toContain("wait up to 30 s for a connection, 10 s for TLS");
});

test.for<{ what: string; image: JudgedImage }>([
  { what: "responds", image: anImage(["mirror.lan/a:1", "missing"], ["mirror2.lan/a:1", "complete"]) },
  {
    what: "is the last that nodes ask",
    image: anImage(["mirror.lan/a:1", "missing"], ["quay.io/a:1", "unreachable"], ["b.lan/a:1", "skipped"]),
  },
])("When a registry $what, it should not be named", ({ image }) => {
  expect(silentInFront(image)).toEqual([]);
});
