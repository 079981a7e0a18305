import type { Hub } from "#shared/ports/hub.ts";
import type { Controller } from "#shared/runtime/controller.ts";
import type { Around, PrecacheSystem } from "../precache/precache-system.ts";
import type { GoldenTrace, TraceOptions } from "./trace.ts";

/** What a scenario runs with: a golden trace records what happens, a fault disturbs it. */
export type Recorder = Pick<GoldenTrace, "scenario" | "say" | "unrecorded"> & Readonly<{ around: Around }>;

/** What a scenario leaves behind. */
export type Ran = Pick<
  PrecacheSystem,
  "hub" | "changes" | "entries" | "deadLetters" | "jobs" | "outcomes" | "settleByTick" | "settleByRepeats"
> &
  Readonly<{ guest?: Hub }>;

export type Scenario = (recorder: Recorder) => Promise<Ran>;

/** What a function does, in scenarios that depend on nothing but their recorder. */
export type Story = Readonly<{
  controller: Controller;
  introduction: string;
  options?: TraceOptions;
  scenarios: readonly Scenario[];
}>;
