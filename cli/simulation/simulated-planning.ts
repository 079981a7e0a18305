import type { PlanningSettings } from "#shared/domain/precache-plan/plan-input.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";

/** The settings for simulated clusters. Their Jobs pull no image, so the registry need not exist. */
export const simulatedPlanning: PlanningSettings = {
  ...noExternalPorts.planning,
  workloadImage: "registry.invalid/simulated/precache-workload:1",
};
