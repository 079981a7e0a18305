import { type ExternalPorts, noExternalPorts } from "#shared/ports/external-ports.ts";

/** Reaches nothing, with the workload image that a deployment has to name. */
export const precachingPorts: ExternalPorts = {
  ...noExternalPorts,
  planning: { ...noExternalPorts.planning, workloadImage: "registry.lab:8443/hubrelay/precache-workload:1" },
};
