import type { PlanningSettings } from "#shared/domain/precache-plan/plan-input.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";

/** The settings for simulated clusters, whose Jobs pull no image: the registry's name never exists. */
export const simulatedPlanning: PlanningSettings = {
  ...noExternalPorts.planning,
  workloadImage: "registry.invalid/simulated/precache-workload:1",
};
