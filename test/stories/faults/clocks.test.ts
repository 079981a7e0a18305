import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { disturbing } from "../../support/faults/disturbing.ts";
import { scenarios } from "../../support/faults/scenarios.ts";
import { countRun, drawn } from "../../support/setup/soak.ts";

const hourMs = 3_600_000;
const clocks = [
  ["five minutes fast", 300_000],
  ["five minutes slow", -300_000],
  ["an hour fast", hourMs],
  ["an hour slow", -hourMs],
  ["a day fast", 24 * hourMs],
  ["a day slow", -24 * hourMs],
] as const;
const random = drawn("clocks", { ci: 1, soak: 20 }, fc.integer({ min: -48 * hourMs, max: 48 * hourMs }));
const all = [...clocks, ...random.map((ms) => [`${Math.round(ms / 1000)} s wrong`, ms] as const)];

describe.for(all)("When the clock of a process is %s", ([, ms]) => {
  test.for(scenarios)(
    "%s should start no cluster twice in %s, fail nothing, and come to rest with a right clock",
    async ([, , scenario]) => {
      countRun("a wrong clock");
      const recorder = disturbing((ports) => ({
        ...ports,
        now: () => new Date(ports.now().getTime() + ms),
      }));
      const ran = await scenario(recorder);
      const tick = (seconds: number) => recorder.unrecorded(() => ran.settleByTick(seconds));
      // What follows from the first two ticks may wait for the third.
      for (const seconds of [150, 150, 0]) await tick(seconds);
      const settled = ran.changes.length;
      await tick(0);
      expect(ran.changes.slice(settled)).toEqual([]);
      expect(ran.entries.filter(({ event }) => event === "failed")).toEqual([]);
      for (const works of ran.jobs.values()) expect(works).toHaveLength(new Set(works).size);
    },
  );
});
