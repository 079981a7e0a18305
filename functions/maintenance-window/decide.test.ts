import { describe, expect, test } from "vitest";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { aWindow } from "../../test/support/precache/precache-windows.ts";
import {
  aSnapshot,
  conditionsIn,
  night,
  noon,
  outcomes,
  statusIn,
  stored,
} from "../../test/support/precache/window-snapshots.ts";
import { decide } from "./decide.ts";

const wasOpen = { ...night, status: { open: true, changedAt: "2026-03-01T01:00:00Z" } };
const named = "MaintenanceWindow/default/night";
const clockAhead = "hubrelay's clock is more than 60 s ahead of the hub's: no maintenance window opens";
const valid = "Ready True Valid: The window opens as specified.";

const decisions = (plan: Plan) =>
  plan.decisions.map(({ subject, verdict, reason }) => `${subject} ${verdict}: ${reason}`);

describe("the status of a window", () => {
  const none = { inside: 0, waiting: 0 };
  const closed = { observedGeneration: 1, open: false, nextOpening: "2026-03-02T01:00:00Z", ...none };
  const open = { observedGeneration: 1, open: true, changedAt: "2026-03-01T02:00:00Z", ...none };
  const closesAt = "2026-03-01T03:00:00Z";
  const two = {
    waiting: 2,
    waitingClusters: ["sno1", "sno2"],
    upgrades: [{ namespace: "default", name: "upgrade", inside: 0, waiting: 2 }],
  };
  const ahead = `Ready False ClockDiffers: ${clockAhead}.`;
  const opensNext = "closed: opens 2026-03-02T01:00:00Z; 0 inside, 0 waiting";
  const broken = 'spec.timeZone: Unknown time zone: Mars; spec.duration: "long" is not a duration';
  const lost = "spec.timeZone: Unknown time zone: Mars";
  const withSpec = (spec: Readonly<Record<string, unknown>>) =>
    aSnapshot({ upgrades: [], windows: [stored(aWindow("night", spec))] });
  const frozen = withSpec({ exclusions: [{ from: "2026-03-02", to: "2126-01-01" }] });
  const becameInvalid = aSnapshot({
    upgrades: [],
    windows: [{ ...stored(aWindow("night", { timeZone: "Mars" }), 2), status: wasOpen.status }],
  });
  const closing = aSnapshot({ upgrades: [], windows: [wasOpen], now: noon, clockAheadSeconds: 8.5 * 3600 });
  const { observedGeneration: _, ...inFiles } = closed;
  const invalid = { observedGeneration: 1, open: false, ...none };

  type Case = readonly [
    name: string,
    snapshot: ReturnType<typeof aSnapshot>,
    decision: string,
    status: object,
    condition?: string,
  ];
  const cases: readonly Case[] = [
    [
      "When it is open, it should show until when, and who waits",
      aSnapshot(),
      `open: until ${closesAt}, opens again 2026-03-02T01:00:00Z; 0 inside, 2 waiting`,
      { ...open, closesAt, nextOpening: "2026-03-02T01:00:00Z", ...two },
    ],
    [
      "When it is closed from the beginning, it should show when it opens",
      aSnapshot({ now: noon, upgrades: [] }),
      opensNext,
      closed,
    ],
    [
      "When it closes, it should show since when",
      aSnapshot({ now: noon, upgrades: [], windows: [wasOpen] }),
      opensNext,
      { ...closed, changedAt: "2026-03-01T12:00:00Z" },
    ],
    [
      "When the clock disagrees with the hub's, it should not open, and say why",
      aSnapshot({ upgrades: [], clockAheadSeconds: 61 }),
      `closed: ${clockAhead}`,
      closed,
      ahead,
    ],
    [
      "When the clock disagrees with the hub's, it should close by the hub's",
      closing,
      `closed: ${clockAhead}`,
      { ...closed, changedAt: "2026-03-01T03:30:00Z" },
      ahead,
    ],
    [
      "When its last opening before a freeze is now, it should say that it never opens again",
      frozen,
      `open: until ${closesAt}, never opens again; 0 inside, 0 waiting`,
      { ...open, closesAt },
    ],
    [
      "When it never closes, it should say so",
      withSpec({ duration: "30h" }),
      "open: without end; 0 inside, 0 waiting",
      { ...open, closesAt: "9999-12-31T23:59:59Z" },
    ],
    [
      "When it is invalid, it should be closed and name every error",
      withSpec({ timeZone: "Mars", duration: "long" }),
      `invalid: ${broken}`,
      invalid,
      `Ready False Invalid: ${broken}`,
    ],
    [
      "When it becomes invalid while it is open, it should close",
      becameInvalid,
      `invalid: ${lost}`,
      { ...invalid, observedGeneration: 2, changedAt: "2026-03-01T02:00:00Z" },
      `Ready False Invalid: ${lost}`,
    ],
    [
      "When the object has no generation, as in a directory of files, it should claim none",
      aSnapshot({ now: noon, upgrades: [], windows: [aWindow("night")] }),
      opensNext,
      inFiles,
    ],
  ];

  test.for(cases)("$0", ([, snapshot, decision, status, condition = valid]) => {
    const plan = decide(snapshot);
    expect(decisions(plan)).toEqual([`${named} ${decision}`]);
    expect(statusIn(plan)).toEqual(status);
    expect(conditionsIn(plan)).toEqual([condition]);
    expect(outcomes(plan)).toEqual([]);
    expect(plan.actions).toMatchObject([{ verb: "update-status", reason: decision.replace(/^\S+ /, "") }]);
  });

  test("When other programs have conditions in the status, they should stay, and other fields not", () => {
    const foreign = { type: "Foreign", status: "True", reason: "Own", message: "stays" };
    const window = { ...night, status: { conditions: [foreign], left: "over" } };
    const plan = decide(aSnapshot({ windows: [window] }));
    expect(conditionsIn(plan)).toEqual(["Foreign True Own: stays", valid]);
    expect(statusIn(plan)).not.toHaveProperty("left");
    expect(plan.actions[0]?.object.metadata.resourceVersion).toBe("3");
  });

  test("When there is no window, it should do nothing", () => {
    expect(decide(aSnapshot({ windows: [] }))).toMatchObject({
      decisions: [],
      issues: [],
      actions: [],
      sends: [],
    });
  });

  test.for([
    { ahead: 61, codes: ["ClockDiffers"] },
    { ahead: -61, codes: ["ClockDiffers"] },
    { ahead: 60, codes: [] },
  ])(
    "When the clock is $ahead s ahead of the hub's, it should warn on the window: $codes",
    ({ ahead, codes }) => {
      const plan = decide(aSnapshot({ upgrades: [], clockAheadSeconds: ahead }));
      expect(plan.issues.map(({ code, object }) => `${object.name} ${code}`)).toEqual(
        codes.map((code) => `night ${code}`),
      );
    },
  );
});

describe("pools that wait", () => {
  const waits = (pool: string, fields: Partial<KubernetesObject> = {}): KubernetesObject => ({
    ...kinds.Event,
    metadata: { name: pool, annotations: { "hubrelay.dev/waits-for": "default/night" } },
    reason: "ChangeWaitsForWindow",
    involvedObject: { kind: "MachineConfigPool", name: pool },
    ...fields,
  });

  test("When changes of pools wait for a window, it should name at most ten, sorted", () => {
    const pools = Array.from({ length: 11 }, (_, index) => `pool-${String.fromCharCode(107 - index)}`);
    const plan = decide(aSnapshot({ waitingEvents: pools.map((pool) => waits(pool)) }));
    expect(statusIn(plan).waitingPools).toEqual(pools.toSorted().slice(0, 10));
  });

  test("When an Event is about something else, no pool should wait", () => {
    const others = [
      waits("a", { reason: "ChangeHeld" }),
      waits("b", { metadata: { name: "b", annotations: { "hubrelay.dev/waits-for": "default/other" } } }),
    ];
    expect(statusIn(decide(aSnapshot({ waitingEvents: others })))).not.toHaveProperty("waitingPools");
  });
});
