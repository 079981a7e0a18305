import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judgeImage, type LocationResponse, nextStep, readyStatuses } from "./judge.ts";
import type { ImageLocation, ImageRoute } from "./locations.ts";

const location = (reference: string, more: Partial<ImageLocation> = {}): ImageLocation => ({
  reference,
  isMirror: true,
  insecure: false,
  skipped: undefined,
  name: 0,
  needsSignature: false,
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
  signed: undefined,
  ...more,
});
const no = (
  result: "missing" | "unauthorized" | "untrusted" | "unreachable" | "unknown",
): LocationResponse => ({
  result,
  detail: "",
});

describe("judgeImage", () => {
  test.for<{
    when: string;
    responses: Readonly<Record<string, LocationResponse>>;
    status: string;
    from?: string;
    route?: ImageRoute;
    isDisconnected?: boolean;
  }>([
    { when: "the first mirror has it", responses: { m1: found() }, status: "ready", from: "m1" },
    {
      when: "the second has it",
      responses: { m1: no("untrusted"), m2: found() },
      status: "ready",
      from: "m2",
    },
    {
      when: "only the source has it",
      responses: { m1: no("missing"), m2: no("unreachable"), source: found() },
      status: "source-only",
      from: "source",
    },
    { when: "a mirror lacks a blob", responses: { m1: found({ lacking: ["blob"] }) }, status: "incomplete" },
    { when: "a mirror lacks a signature", responses: { m1: found({ signed: false }) }, status: "unsigned" },
    {
      when: "none has it",
      responses: { m1: no("missing"), m2: no("missing"), source: no("missing") },
      status: "missing",
    },
    {
      when: "one refuses the login and the others lack it",
      responses: { m1: no("missing"), m2: no("unauthorized"), source: no("unreachable") },
      status: "unauthorized",
    },
    {
      when: "only nodes know whether one has it",
      responses: { m1: no("unknown"), m2: no("unauthorized"), source: no("unreachable") },
      status: "unknown",
    },
    {
      when: "a connected node cannot reach the source",
      responses: { m1: no("missing"), m2: no("missing"), source: no("unreachable") },
      status: "unreachable",
    },
    {
      when: "a disconnected node cannot reach the source",
      responses: { m1: no("missing"), m2: no("missing"), source: no("unreachable") },
      status: "missing",
      isDisconnected: true,
    },
    {
      when: "a disconnected node has only the source",
      route: { image: "image", locations: [location("source", { isMirror: false })] },
      responses: { source: no("unreachable") },
      status: "unreachable",
      isDisconnected: true,
    },
    {
      when: "a disconnected node may ask no mirror for a tag, and cannot reach the source",
      route: {
        image: "image",
        locations: [
          location("m1", { skipped: { reason: "digest-only", text: "by digest only" } }),
          location("source", { isMirror: false }),
        ],
      },
      responses: { source: no("unreachable") },
      status: "missing",
      isDisconnected: true,
    },
    {
      when: "a connected node may ask no mirror for a tag, and cannot reach the source",
      route: {
        image: "image",
        locations: [
          location("m1", { skipped: { reason: "digest-only", text: "by digest only" } }),
          location("source", { isMirror: false }),
        ],
      },
      responses: { source: no("unreachable") },
      status: "unreachable",
    },
    {
      when: "no location may be tried",
      route: { image: "image", locations: [location("source", { skipped: blocked })] },
      responses: {},
      status: "missing",
    },
    {
      when: "the first name of a short one lacks its signature",
      route: { image: "app", locations: [location("a"), location("a2"), location("b", { name: 1 })] },
      responses: { a: found({ signed: false }), b: found() },
      status: "ready",
      from: "b",
    },
  ])(
    "When $when, it should be $status",
    ({ responses, status, from, route: own = route, isDisconnected = false }) => {
      const judged = judgeImage(own, new Map(Object.entries(responses)), { isDisconnected });
      expect(judged).toMatchObject({ status, from: from ?? null });
    },
  );

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
    .record({ lacking: fc.constantFrom([], ["blob"]), signed: fc.constantFrom(true, false, undefined) })
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

test.for<{ what: string; response: LocationResponse; detail: string }>([
  { what: "has all of it", response: found(), detail: "" },
  {
    what: "has it, signed",
    response: found({ signed: true }),
    detail: "a signature is there, whose validity is not checked",
  },
  {
    what: "has it, unsigned",
    response: found({ signed: false }),
    detail: "a policy requires a signature, and none is there",
  },
  { what: "lacks three blobs", response: found({ lacking: ["a", "b", "c"] }), detail: "lacks a, b, c" },
  {
    what: "lacks five blobs",
    response: found({ lacking: ["a", "b", "c", "d", "e"] }),
    detail: "lacks a, b, c and 2 more",
  },
  { what: "does not respond", response: { result: "unreachable", detail: "refused" }, detail: "refused" },
])("When a mirror $what, its detail should say so", ({ response, detail }) => {
  const [tried] = judgeImage(route, new Map([["m1", response]])).tried;
  expect(tried?.detail).toBe(detail);
});
