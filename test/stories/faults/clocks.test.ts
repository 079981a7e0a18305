import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { isKind, type KubernetesObject, kinds, withAnnotation } from "#shared/domain/kubernetes/object.ts";
import { runOf } from "#shared/domain/precache/work/work-identity.ts";
import type { Hub, ObjectChange } from "#shared/ports/hub.ts";
import { disturbing } from "../../support/faults/disturbing.ts";
import { scenarios } from "../../support/faults/scenarios.ts";
import type { Scenario } from "../../support/golden/story.ts";
import { essential } from "../../support/kills/hub-content.ts";
import { countRun, drawn } from "../../support/setup/soak.ts";

const hourMs = 3_600_000;
const random = drawn("clocks", { ci: 1, soak: 20 }, fc.integer({ min: -48 * hourMs, max: 48 * hourMs }));

type Wrong = Readonly<{
  ms: number;
  /** The clocks of all processes are wrong, or that of one of two, which handle batches in turn. */
  pods: "all" | "one of two";
}>;

const clocks: readonly (readonly [what: string, Wrong])[] = [
  ["every clock is an hour fast", { ms: hourMs, pods: "all" }],
  ["every clock is an hour slow", { ms: -hourMs, pods: "all" }],
  ["every clock is a day fast", { ms: 24 * hourMs, pods: "all" }],
  ["every clock is a day slow", { ms: -24 * hourMs, pods: "all" }],
  ["one of two clocks is five minutes fast", { ms: 300_000, pods: "one of two" }],
  ["one of two clocks is five minutes slow", { ms: -300_000, pods: "one of two" }],
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

/** Runs a scenario with wrong clocks, and then until it comes to rest with right ones. */
async function runWith(scenario: Scenario, { ms, pods }: Wrong, unprotected: Unprotected = (hub) => hub) {
  let batches = 0;
  const recorder = disturbing((ports, changes) => {
    const isWrong = pods === "all" || batches++ % 2 === 0;
    const now = () => new Date(ports.now().getTime() + (isWrong ? ms : 0));
    return { ...ports, hub: unprotected(ports.hub, now, changes), now };
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
const configuredOf = new Map<Scenario, unknown>();
beforeAll(async () => {
  for (const [, , scenario] of scenarios)
    configuredOf.set(scenario, (await runWith(scenario, right)).configured);
});

describe.for(clocks)("When %s", ([, wrong]) => {
  test.for(scenarios)(
    "%s should start no cluster twice in %s, fail nothing, configure the same, and come to rest with a right clock",
    async ([, , scenario]) => {
      countRun("a wrong clock");
      expect(await runWith(scenario, wrong)).toEqual({
        restless: [],
        failed: [],
        startedAgain: [],
        configured: configuredOf.get(scenario),
      });
    },
  );
});

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
