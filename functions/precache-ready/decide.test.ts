import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { ReadyStatus } from "#shared/domain/ready/judge.ts";
import { readinessFor } from "#shared/domain/ready/record/readiness-report.ts";
import {
  aWorld,
  cgu,
  checkedUpgrade,
  content,
  later,
  names,
  now,
  record,
} from "../../test/support/ready/ready-snapshots.ts";
import type { CheckedUpgrade } from "./ask-registries.ts";
import { decide } from "./decide.ts";
import type { Snapshot } from "./observe.ts";

describe("the readiness of an upgrade", () => {
  const notReady = (count: number, why: string) =>
    `${count} of 2 images are not ready for the managed clusters: ${why}.`;
  const unchecked = (count: number, why: string) =>
    `${count} of 2 images could not be checked, and will be checked again: ${why}.`;
  const [a, b] = ["quay.io/a@sha256:1", "quay.io/b@sha256:2"];
  const refused = checkedUpgrade(["ready", "unauthorized"]);
  const lacking = checkedUpgrade(["ready", "ready"], {
    problems: [{ text: "no package sriov", isMissing: true }],
  });
  const unread = checkedUpgrade(["ready", "ready"], { problems: [{ text: "a database", isMissing: false }] });
  const noLogin: Partial<Snapshot> = { notAsked: new Set(["unreachable", "unauthorized"]) };
  const obstacle = "the pull secret is invalid";
  const both = checkedUpgrade(["ready", "ready"]);
  const allReady = "All 2 images are ready for the managed clusters.";

  test.for<
    readonly [
      what: string,
      upgrade: CheckedUpgrade,
      ready: string,
      reason: string,
      message: string,
      fields?: Partial<Snapshot>,
    ]
  >([
    ["every image is ready", checkedUpgrade(["ready", "source-only"]), "True", "ImagesReady", allReady],
    [
      "an image is missing, and another cannot be asked for",
      checkedUpgrade(["missing", "unreachable"]),
      "False",
      "ImagesNotReady",
      notReady(1, `${a}: missing`),
    ],
    [
      "a registry cannot be asked",
      checkedUpgrade(["ready", "unreachable"]),
      "Unknown",
      "ImagesUnknown",
      unchecked(1, `${b}: unreachable`),
    ],
    ["a registry refuses nodes", refused, "False", "ImagesNotReady", notReady(1, `${b}: unauthorized`)],
    [
      "the credentials of nodes may not be read",
      refused,
      "Unknown",
      "ImagesUnknown",
      unchecked(1, `${b}: unauthorized`),
      noLogin,
    ],
    [
      "an image is not checked yet",
      checkedUpgrade(["ready"]),
      "Unknown",
      "ImagesBeingChecked",
      "1 of 2 images are checked.",
    ],
    [
      "an image is not checked yet, and another is missing",
      checkedUpgrade(["missing"]),
      "False",
      "ImagesNotReady",
      notReady(1, `${a}: missing`),
    ],
    ["a catalog lacks an operator", lacking, "False", "ImagesNotReady", notReady(0, "no package sriov")],
    ["a catalog cannot be read", unread, "Unknown", "ImagesUnknown", unchecked(0, "a database")],
    ["no registry may be asked", both, "Unknown", "ImagesUnknown", unchecked(0, obstacle), { obstacle }],
  ])("When $0, it should be $2", async ([, upgrade, ready, reason, message, fields]) => {
    const world = aWorld();
    const result = await world.reconcile([upgrade], fields);
    expect(result.outcomes).toEqual(reason === "ImagesNotReady" ? ["images-not-ready"] : []);
    const [report] = await world.hub.list(kinds.ReadinessReport);
    expect(report).toMatchObject({ ready, reason, message, since: "2026-03-01T02:00:00Z" });
    const isReported = reason === "ImagesNotReady" || reason === "ImagesUnknown";
    expect((await world.found()).events).toEqual(isReported ? [reason] : []);
    expect((await world.reconcile([upgrade], fields)).plan.actions).toEqual([]);
  });

  test("When nodes ask a registry first that does not respond, report, condition and Event should name it", async () => {
    const world = aWorld();
    const upgrade = checkedUpgrade(["ready", "ready"]);
    const silent = { ...record("ready"), unresponsive: ["hangs.lan/a@sha256:1"] };
    const records = new Map([...upgrade.records, [names[0] ?? "", silent]]);
    await world.reconcile([{ ...upgrade, records }]);
    const named = expect.stringMatching(/^Registry hangs\.lan: .*such as hangs\.lan\/a@sha256:1.*30 s/);
    const [report] = await world.hub.list(kinds.ReadinessReport);
    expect(report).toMatchObject({
      ready: "True",
      message: "All 2 images are ready for the managed clusters.",
      warnings: [{ code: "RegistryUnresponsive", message: named }],
    });
    expect(readinessFor(report, content.revision)).toMatchObject({
      ready: "True",
      message: expect.stringContaining("Registry hangs.lan"),
    });
    expect(await world.hub.list(kinds.Event)).toMatchObject([
      { reason: "RegistryUnresponsive", type: "Warning", message: named },
    ]);
    await world.reconcile([upgrade], { now: later(1) });
    expect(await world.found()).toEqual({ ready: "True", reason: "ImagesReady", events: [] });
    const [after] = await world.hub.list(kinds.ReadinessReport);
    expect(after?.warnings).toBeUndefined();
  });

  test("When readiness is lost, it should be one outcome, and a registry that is down none", async () => {
    const world = aWorld();
    const steps: readonly (readonly [ReadyStatus, readonly string[]])[] = [
      ["ready", []],
      ["unreachable", []],
      ["ready", []],
      ["missing", ["images-not-ready"]],
      ["incomplete", []],
      ["unreachable", []],
      ["missing", []],
      ["ready", []],
    ];
    for (const [index, [status, expected]] of steps.entries()) {
      const { outcomes } = await world.reconcile([checkedUpgrade(["ready", status])], { now: later(index) });
      expect(outcomes, `${index} ${status}`).toEqual(expected);
    }
  });

  test("When an upgrade no longer requires ready images, report and Event should be removed", async () => {
    const world = aWorld();
    await world.reconcile([checkedUpgrade(["missing", "ready"])]);
    await world.reconcile([]);
    expect(await world.found()).toEqual({ ready: undefined, reason: undefined, events: [] });
  });

  test("When the content is not read yet, nothing should be written, and the check continue at once", async () => {
    const world = aWorld();
    const upgrade = { cgu, content: undefined, records: new Map() };
    const { plan } = await world.reconcile([upgrade], { isUnfinished: true });
    expect(plan.actions).toEqual([]);
    expect(plan.requeueAt).toEqual(new Date("2026-03-01T02:00:01Z"));
  });

  test("When the process is killed before it publishes, the outcome should be made again with the same id", async () => {
    const world = aWorld();
    const upgrade = checkedUpgrade(["ready", "missing"]);
    const [write] = decide(await world.snapshot([upgrade])).actions;
    await world.reconcile([upgrade]);
    const standing = decide(await world.snapshot([upgrade])).standing?.(now) ?? [];
    expect(standing.map(({ id }) => id)).toEqual(write?.outcomes?.map(({ id }) => id));
  });
});

test("When images have any status, an applied plan should leave nothing to do, whatever their order", async () => {
  const status = fc.constantFrom<ReadyStatus | undefined>(
    "ready",
    "missing",
    "unreachable",
    "incomplete",
    undefined,
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(status, status), { minLength: 1, maxLength: 4 }), async (states) => {
      const world = aWorld();
      for (const [index, pair] of states.entries())
        await world.reconcile([checkedUpgrade(pair)], { now: later(index) });
      const last = checkedUpgrade(states.at(-1) ?? []);
      const reversed = { ...last, records: new Map([...last.records].reverse()) };
      for (const upgrade of [last, reversed]) {
        const { plan } = await world.reconcile([upgrade], { now: later(99) });
        expect(plan.actions).toEqual([]);
      }
    }),
    { numRuns: 50 },
  );
});

test("When nodes pull from registries, the report should have what ends there, also while no certificate is seen", async () => {
  const { reconcile, hub } = aWorld();
  const upgrade = checkedUpgrade(["ready", "ready"]);
  const from = new Map([...upgrade.records].map(([name, one]) => [name, { ...one, from: "m.lan:5000/a:1" }]));
  const ends = "2026-03-10T00:00:00Z";
  const certificate = { what: "certificate", name: "m.lan:5000", ends } as const;
  const other = { what: "certificate", name: "other.lan", ends } as const;
  const token = { what: "token", name: "m.lan:5000", ends } as const;
  const found = async () => (await hub.list(kinds.ReadinessReport))[0]?.accessEnds;
  await reconcile([{ ...upgrade, records: from }], { accessEnds: [certificate, other, token] });
  expect(await found()).toEqual([certificate, token]);
  // Another process has asked no registry yet, and the token is a new one.
  const renewed = { ...token, ends: "2027-03-10T00:00:00Z" };
  await reconcile([{ ...upgrade, records: from }], { accessEnds: [renewed] });
  expect(await found()).toEqual([certificate, renewed]);
});
