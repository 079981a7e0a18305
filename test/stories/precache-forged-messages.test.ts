import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { precacheCluster } from "#functions/precache-cluster/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { measurementsOf } from "#shared/adapters/telemetry/log-metrics.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { hubEvent, type Verb } from "#shared/domain/plan/hub-event.ts";
import { clusterReference } from "#shared/domain/precache-model/cluster-event.ts";
import { isFinalState } from "#shared/domain/precache-model/cluster-state.ts";
import { plannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { workName } from "#shared/domain/precache-model/work-identity.ts";
import { feedbackOf } from "#shared/domain/precache-progress/feedback.ts";
import { HubError } from "#shared/ports/hub.ts";
import { ended, running, suspended as suspendedJob } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, type PrecacheSystem, precacheSystem } from "../support/precache/precache-system.ts";
import { countRun, times } from "../support/setup/soak.ts";

/**
 * What an attacker may write into a message about a ManifestWork, and what versions of hubrelay before 0.1.0 wrote there.
 */
type Forged = Readonly<{
  verb?: Verb;
  resourceVersion?: string;
  attempt?: number;
  feedback: Readonly<Record<string, unknown>>;
}>;

const newest = "99999999999999999999";
const fleet = ["sno1", "sno2", "sno3"];
const active = { applied: "True", values: { active: 1 } };
const complete = { applied: "True", values: { complete: "True", succeeded: 1 } };
const failed = { applied: "True", values: { failedStatus: "True", failedReason: "BackoffLimitExceeded" } };
const late = { applied: "True", values: { failedStatus: "True", failedReason: "DeadlineExceeded" } };
const suspended = { applied: "True", isHeld: true, values: { suspended: "True" } };

/** Sends a well-formed message with forged content about a cluster's run to the feedback queue. */
function forge(system: PrecacheSystem, cluster: string, forged: Forged): void {
  const { verb = "update", resourceVersion = newest, attempt = 1, feedback } = forged;
  const cgu = system.upgrade();
  const upgrade = cgu && plannedUpgrade(cgu);
  if (!upgrade) throw new Error("no upgrade is planned");
  const run = { cgu: upgrade.name, revision: upgrade.revision, attempt };
  const { apiVersion, kind } = kinds.ManifestWork;
  const reference = { apiVersion, kind, namespace: cluster, name: workName(run), resourceVersion };
  const aboutWork = hubEvent(verb, reference, { source: "urn:test:hub" });
  const claim = { ...aboutWork, data: { ...reference, feedback: { run, ...feedback } } };
  const aboutCluster = hubEvent(verb, clusterReference(upgrade.name, cluster), { source: "urn:test:hub" });
  for (const event of [claim, aboutCluster])
    for (const { queue } of [precacheStatus, precacheCluster]) system.deliver(queue, JSON.stringify(event));
}

/** A fleet whose Jobs pull. */
async function aRunningFleet(): Promise<PrecacheSystem> {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(fleet));
  await system.settle();
  system.report(running(0.5));
  await system.settle();
  return system;
}

/** What a user sees of the fleet. */
const seenOf = (system: PrecacheSystem) => ({
  states: system.states(),
  condition: system.condition(),
  reasons: Object.values(system.records()).map(({ reason }) => reason),
  works: system.works().map(({ metadata }) => metadata),
  outcomes: system.outcomes.length,
  jobs: Object.fromEntries(system.jobs),
});

describe("messages with false claims", () => {
  test.for<Forged & { what: string }>([
    { what: "a success", feedback: complete },
    { what: "a failure", feedback: failed },
    { what: "a deadline", feedback: late },
    { what: "a suspension", feedback: suspended },
    { what: "a removal", verb: "delete", feedback: active },
    { what: "a removal under way", feedback: { ...active, isDeleting: true, values: {} } },
    { what: "a success and a removal", verb: "delete", feedback: complete },
    { what: "a refusal", feedback: { applied: "False", message: "admin:secret refused it", values: {} } },
    { what: "an agent that has not connected", feedback: { values: {} } },
    { what: "an end of an older version", resourceVersion: "1", feedback: complete },
    { what: "texts of its own", feedback: { ...active, values: { active: 1, reason: "ClusterNotReached" } } },
    { what: "another attempt", attempt: 7, feedback: complete },
  ])("When a message claims $what, the fleet should stay as it is", async ({ what: _what, ...forged }) => {
    const system = await aRunningFleet();
    const before = seenOf(system);
    const logged = system.entries.length;
    for (const cluster of fleet) forge(system, cluster, forged);
    await system.settle();
    // Two messages for each of two functions: ignored, or without effect.
    const entries = system.entries.slice(logged);
    const unchanged = entries
      .flatMap(measurementsOf)
      .filter(({ name }) => name === "hubrelay_unchanged_events_total");
    const ignored = entries.filter(({ event }) => event === "event-ignored");
    expect(unchanged.reduce((sum, { value }) => sum + value, ignored.length)).toBe(4 * fleet.length);
    system.resync();
    await system.settle();
    expect(seenOf(system)).toEqual(before);
  });

  test("When a cluster waits for its slot, a message should neither give it one nor end it", async () => {
    const system = precacheSystem();
    system.plan(aPlannedUpgrade(fleet, { maxConcurrency: 1 }));
    await system.settle();
    const before = seenOf(system);
    for (const feedback of [active, complete, suspended]) forge(system, "sno3", { feedback });
    await system.settle();
    expect(seenOf(system)).toEqual(before);
  });

  test("When a message claims figures of a pull, none should be recorded", async () => {
    const system = await aRunningFleet();
    const values = { active: 1, imagesDone: 150, bytesTotal: 9_007_199_254_740_991 };
    forge(system, "sno1", { feedback: { ...active, values } });
    system.pass(60);
    await system.settle();
    expect(system.records().sno1).toMatchObject({ state: "Active", imagesDone: 95 });
    expect(system.records().sno1).not.toHaveProperty("bytesTotal");
  });
});

test("When a record contains a version that never exists, a resync should restore the state of its work", async () => {
  const system = await aRunningFleet();
  for (const report of system.hub.all(kinds.PreCachingReport)) {
    const frozen = { ...Object(report.clusters).sno1, state: "Starting", reason: "Suspended", seen: newest };
    system.hub.put({ ...report, clusters: { ...Object(report.clusters), sno1: frozen } });
  }
  system.resync();
  await system.settle();
  expect(system.records().sno1).toMatchObject({ state: "Active", reason: "Pulling" });
  system.pass(60);
  system.report(running(0.75), ["sno1"]);
  await system.settle();
  expect(system.records().sno1?.imagesDone).toBe(142);
});

test("When the hub does not let one work be read, the ends of the others should be recorded, and only its message be delivered again", async () => {
  let isRefused = true;
  const system = precacheSystem((request, { namespace }) =>
    isRefused && request === "get ManifestWork" && namespace === "sno2"
      ? new HubError("Unavailable", "no etcd leader")
      : undefined,
  );
  system.plan(aPlannedUpgrade(fleet));
  await system.settle();
  system.report(ended("succeeds"));
  await system.settle();
  expect(system.states()).toEqual({ sno1: "Succeeded", sno2: "Starting", sno3: "Succeeded" });
  isRefused = false;
  system.pass(2);
  await system.settle();
  expect(system.condition()).toContain("PrecachingCompleted");
});

/** The real end of each cluster of the random fleet; sno4's agent never connects. */
const fates: Readonly<Record<string, "succeeds" | "fails" | "never">> = {
  sno1: "succeeds",
  sno2: "fails",
  sno3: "succeeds",
  sno4: "never",
};
const all = Object.keys(fates);

/** The events while the fleet runs. */
type FleetEvent =
  | Readonly<{ what: "batch"; of: number; batchSize: number; isShuffled: boolean }>
  | Readonly<{ what: "report"; cluster: string }>
  | Readonly<{ what: "pass"; seconds: number }>
  | Readonly<{ what: "resync" }>
  | Readonly<{ what: "forge"; cluster: string; forged: Forged }>;

const forgedFeedback = fc
  .record({
    claim: fc.constantFrom<Forged["feedback"]>(
      active,
      complete,
      failed,
      late,
      suspended,
      { applied: "True" },
      {},
    ),
    flags: fc.constantFrom({}, { isDeleting: true }, { isStale: true }, { isHeld: true }),
    created: fc.constantFrom({}, { created: "2001-01-01T00:00:00Z" }),
    counts: fc.constantFrom({}, { imagesDone: 190, bytesTotal: 1e15, reason: "NoReport" }),
  })
  .map(({ claim, flags, created, counts }): Forged["feedback"] => ({
    ...claim,
    ...flags,
    ...created,
    values: { ...Object(claim.values), ...counts },
  }));
const forgedMessage: fc.Arbitrary<Forged> = fc.record({
  verb: fc.constantFrom<Verb>("add", "update", "delete"),
  resourceVersion: fc.constantFrom("1", "12", "40", newest, "zzzz"),
  attempt: fc.constantFrom(1, 1, 1, 2, 9),
  feedback: forgedFeedback,
});
const cluster = fc.constantFrom(...all);
const fleetEvent: fc.Arbitrary<FleetEvent> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant("batch" as const),
      of: fc.nat(1),
      batchSize: fc.integer({ min: 1, max: 12 }),
      isShuffled: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("report" as const), cluster }) },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant("pass" as const), seconds: fc.integer({ min: 1, max: 60 }) }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("resync" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant("forge" as const), cluster, forged: forgedMessage }),
  },
);

/** The agents of these clusters report how their Jobs end, unless the hub has suspended them. */
function reportEnds(system: PrecacheSystem, clusters: readonly string[]): void {
  for (const work of system.works()) {
    const cluster = work.metadata.namespace ?? "";
    const fate = fates[cluster];
    if (!clusters.includes(cluster) || fate === undefined || fate === "never") continue;
    system.report(feedbackOf(work)?.isHeld ? suspendedJob : ended(fate), [cluster]);
  }
}

/** Runs the fleet through all events and to its end; returns what a user sees then. */
async function runFleet(fleetEvents: readonly FleetEvent[]) {
  const system = precacheSystem();
  const stages = new Map<string, number>();
  system.plan(aPlannedUpgrade(all, { maxConcurrency: 2, timeout: 40 }));
  for (const event of fleetEvents) {
    if (event.what === "pass") system.pass(event.seconds);
    if (event.what === "resync") system.resync();
    if (event.what === "forge") forge(system, event.cluster, event.forged);
    if (event.what === "batch") {
      const controller = system.served[event.of];
      const disturb = (messages: unknown[]) => void (event.isShuffled && messages.reverse());
      if (controller) await system.step(controller, { batchSize: event.batchSize, disturb });
    }
    if (event.what === "report") {
      const { cluster } = event;
      const [work] = system.works(cluster);
      if (!work || fates[cluster] === "never" || feedbackOf(work)?.isHeld) continue;
      const stage = (stages.get(cluster) ?? 0) + 1;
      stages.set(cluster, stage);
      if (stage < 3) system.report(running(stage / 4), [cluster]);
      else reportEnds(system, [cluster]);
    }
    for (const [cluster, state] of Object.entries(system.states()))
      if (isFinalState(state)) expect(stages.get(cluster), cluster).toBeGreaterThanOrEqual(3);
    expect(system.mayRun().length).toBeLessThanOrEqual(2);
  }
  for (let round = 0; round < 120; round++) {
    system.resync();
    await system.settle();
    reportEnds(system, all);
    await system.settle();
    const states = Object.values(system.states());
    if (states.length === all.length && states.every((state) => isFinalState(state))) break;
    system.pass(91);
  }
  const reasons = Object.entries(system.records()).map(([cluster, { reason }]) => [cluster, reason]);
  return {
    states: system.states(),
    reasons: Object.fromEntries(reasons),
    condition: system.condition(),
    jobs: Object.fromEntries(system.jobs),
    works: system.works().map(({ metadata }) => metadata.namespace),
  };
}

test("When forged messages arrive at any time of a run, it should end as it does without them", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fleetEvent, { minLength: 10, maxLength: 60 }), async (fleetEvents) => {
      countRun("feedback that lies");
      const without = fleetEvents.filter(({ what }) => what !== "forge");
      const seen = await runFleet(fleetEvents);
      expect(seen).toEqual(await runFleet(without));
      expect(seen.states).toEqual({
        sno1: "Succeeded",
        sno2: "UnrecoverableError",
        sno3: "Succeeded",
        sno4: "PrecacheTimeout",
      });
    }),
    { numRuns: times({ ci: 10, soak: 400 }) },
  );
});
