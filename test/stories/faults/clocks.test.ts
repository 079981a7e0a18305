import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { isKind, type KubernetesObject, kinds, withAnnotation } from "#shared/domain/kubernetes/object.ts";
import { runOf } from "#shared/domain/precache-model/work-identity.ts";
import type { Hub, ObjectChange } from "#shared/ports/hub.ts";
import { disturbing } from "../../support/faults/disturbing.ts";
import { interceptedPorts } from "../../support/faults/intercepted-ports.ts";
import { scenarios } from "../../support/faults/scenarios.ts";
import type { Scenario } from "../../support/golden/story.ts";
import { essential } from "../../support/kills/hub-content.ts";
import type { AllPorts } from "../../support/precache/precache-system.ts";
import { countRun, drawn } from "../../support/setup/soak.ts";

const hourMs = 3_600_000;
const difference = fc.integer({ min: -48 * hourMs, max: 48 * hourMs });
const random = drawn("clocks", { ci: 1, soak: 20 }, difference);
const jumps = drawn(
  "clocks that jump",
  { ci: 1, soak: 40 },
  fc.record({ ms: difference, first: fc.nat(6), length: fc.integer({ min: 1, max: 10 }) }),
);

type Wrong = Readonly<{
  ms: number;
  /** The clocks of all processes are wrong, or that of one of two, which handle batches in turn. */
  pods: "all" | "one of two";
  /** The first and the last of a batch's reads before which they are wrong; without them always, on a hub that sends no time. */
  reads?: readonly [first: number, last: number];
}>;

const always = [0, Number.POSITIVE_INFINITY] as const;

const clocks: readonly (readonly [what: string, Wrong])[] = [
  ["every clock is a day fast", { ms: 24 * hourMs, pods: "all" }],
  ["every clock is a day slow", { ms: -24 * hourMs, pods: "all" }],
  ["one of two clocks is five minutes fast", { ms: 300_000, pods: "one of two" }],
  ["one of two clocks is five minutes slow", { ms: -300_000, pods: "one of two" }],
  ["every clock is an hour fast, and the hub sends its time", { ms: hourMs, pods: "all", reads: always }],
  ["every clock is an hour slow, and the hub sends its time", { ms: -hourMs, pods: "all", reads: always }],
  ["a clock is fast, and right after a read", { ms: hourMs, pods: "all", reads: [0, 0] }],
  ["a clock is slow, and right after a read", { ms: -hourMs, pods: "all", reads: [0, 0] }],
  ["a clock becomes fast after a read", { ms: hourMs, pods: "all", reads: [1, always[1]] }],
  ...jumps.map(({ ms, first, length }): readonly [string, Wrong] => [
    `every clock is ${Math.round(ms / 1000)} s wrong from read ${first} on for ${length}, and the hub sends its time`,
    { ms, pods: "all", reads: [first, first + length - 1] },
  ]),
  ...random.flatMap((ms): readonly (readonly [string, Wrong])[] => [
    [`every clock is ${Math.round(ms / 1000)} s wrong`, { ms, pods: "all" }],
    [`one of two clocks is ${Math.round(ms / 1000)} s wrong`, { ms, pods: "one of two" }],
  ]),
];

/** A hub without one of the protections, for a process with this clock. */
type Unprotected = (hub: Hub, now: () => Date, changes: readonly ObjectChange[]) => Hub;

/** Each ManifestWork of a run gets a name of its own. */
const withoutFixedNames: Unprotected = (hub, _now, changes) => ({
  ...hub,
  async create({ metadata, ...object }) {
    const isRun = isKind(kinds.ManifestWork, object) && runOf({ ...object, metadata });
    const name = isRun ? `${metadata.name}-${changes.length}` : metadata.name;
    return hub.create({ ...object, metadata: { ...metadata, name } });
  },
});

/** Rendered content says when it was written. */
const withTimes: Unprotected = (hub, now) => {
  const write = (work: Hub["create"]) => (object: KubernetesObject) =>
    work(
      isKind(kinds.MachineConfig, object)
        ? withAnnotation(object, "example.com/written", now().toISOString())
        : object,
    );
  return { ...hub, create: write(hub.create), update: write(hub.update) };
};

/** The hub does not send its time. */
const withoutTime: Unprotected = ({ time: _, ...hub }) => hub;

/** Adds to `opened` what a batch starts in a window, with the true time. */
function openings(ports: AllPorts, changes: readonly ObjectChange[], opened: string[]): AllPorts {
  const add = (what: string) => opened.push(`${ports.now().toISOString()} ${what}`);
  const hasWindows = changes.some(({ object }) => isKind(kinds.MaintenanceWindow, object));
  return {
    ...ports,
    outcomes: {
      async publish(events) {
        for (const { type, subject, data } of events)
          if (type.endsWith(".opened") || JSON.stringify(data).includes('"WindowOpen"'))
            add(`${type} ${subject}`);
        await ports.outcomes.publish(events);
      },
    },
    log(entry) {
      if (hasWindows && entry.event === "decided" && /^(?:start|resume)$/.test(entry.verdict))
        add(`${entry.verdict} ${entry.subject}`);
      ports.log(entry);
    },
  };
}

/** Runs a scenario with wrong clocks, and then until it comes to rest with right ones. */
async function runWith(scenario: Scenario, wrong: Wrong, unprotected: Unprotected = (hub) => hub) {
  const { ms, pods, reads: [first, last] = always } = wrong;
  let batches = 0;
  const opened: string[] = [];
  const recorder = disturbing((ports, changes) => {
    const isWrong = pods === "all" || batches++ % 2 === 0;
    let reads = 0;
    const now = () => new Date(ports.now().getTime() + (isWrong && first <= reads && reads <= last ? ms : 0));
    const { hub, ...counted } = interceptedPorts(openings(ports, changes, opened), {
      write: (_what, work) => work(),
      read: (work) => work().finally(() => reads++),
    });
    const known = wrong.reads ? { ...hub, time: ports.now } : hub;
    return { ...counted, hub: unprotected(known, now, changes), now };
  });
  const ran = await scenario(recorder);
  const tick = (seconds: number) => recorder.unrecorded(() => ran.settleByTick(seconds));
  // What follows from the first two ticks may wait for the third.
  for (const seconds of [150, 150, 0]) await tick(seconds);
  const settled = ran.changes.length;
  await tick(0);
  const starts = ran.changes.flatMap(({ verb, object }) => {
    const run = verb === "add" && isKind(kinds.ManifestWork, object) ? runOf(object) : undefined;
    return run ? [`${object.metadata.namespace}: ${JSON.stringify(run)}`] : [];
  });
  return {
    /** What changes once more when nothing happens. */
    restless: ran.changes.slice(settled),
    failed: ran.entries.filter(({ event }) => event === "failed"),
    opened,
    startedAgain: starts.filter((start, index) => starts.indexOf(start) < index),
    /** What nodes and guests are configured with, which no time is part of. */
    configured: essential([
      ...ran.hub.all(kinds.MachineConfig),
      ...((await ran.guest?.list(kinds.ImageDigestMirrorSet)) ?? []),
      ...((await ran.guest?.list(kinds.ImageTagMirrorSet)) ?? []),
      ...((await ran.guest?.list(kinds.CatalogSource)) ?? []),
    ]),
  };
}

const right: Wrong = { ms: 0, pods: "all" };
const undisturbed = new Map<Scenario, Pick<Awaited<ReturnType<typeof runWith>>, "configured" | "opened">>();
beforeAll(async () => {
  for (const [, , scenario] of scenarios) undisturbed.set(scenario, await runWith(scenario, right));
});

/** Returns what was opened that a right clock does not open at that time. */
const openedOutside = (scenario: Scenario, { opened }: Readonly<{ opened: readonly string[] }>) =>
  opened.filter((one) => !undisturbed.get(scenario)?.opened.includes(one));

describe.for(clocks)("When %s", ([, wrong]) => {
  test.for(scenarios)(
    "%s should start no cluster twice in %s, fail nothing, configure the same, and come to rest with a right clock",
    async ([, , scenario]) => {
      countRun("a wrong clock");
      const ran = await runWith(scenario, wrong);
      expect(ran).toEqual({
        restless: [],
        failed: [],
        startedAgain: [],
        opened: ran.opened,
        configured: undisturbed.get(scenario)?.configured,
      });
      if (wrong.reads) expect(openedOutside(scenario, ran)).toEqual([]);
    },
  );
});

test("When clocks are wrong all the time, and the hub sends its time, no window should open", async () => {
  for (const [, , scenario] of scenarios)
    expect(await runWith(scenario, { ms: 61_000, pods: "all", reads: always })).toMatchObject({ opened: [] });
});

test.for([{ reads: always }, { reads: [0, 0] }] as const)(
  "When the hub did not send its time, a clock that is fast before the reads $reads should open a window",
  async ({ reads }) => {
    for (const [, , scenario] of scenarios) {
      const ran = await runWith(scenario, { ms: hourMs, pods: "all", reads }, withoutTime);
      if (openedOutside(scenario, ran).length > 0) return;
    }
    expect.fail("the hub's time makes no difference");
  },
);

test("When ManifestWorks had no fixed names, a cluster should be started twice", async () => {
  for (const [, , scenario] of scenarios) {
    const { startedAgain } = await runWith(scenario, { ms: hourMs, pods: "one of two" }, withoutFixedNames);
    if (startedAgain.length > 0) return;
  }
  expect.fail("fixed names make no difference");
});

test("When rendered content had a time in it, a wrong clock should configure something else", async () => {
  for (const [, , scenario] of scenarios) {
    const { configured } = await runWith(scenario, right, withTimes);
    const wrong = await runWith(scenario, { ms: hourMs, pods: "all" }, withTimes);
    if (!isDeepStrictEqual(wrong.configured, configured)) return;
  }
  expect.fail("a time in rendered content makes no difference");
});
