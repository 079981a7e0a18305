import { asWritten, flag, list, object, required, text, time, whole } from "../issues/field.ts";
import type { KindDefinition } from "../issues/kind-definition.ts";
import { conditionsDefinition } from "../kubernetes/conditions.ts";
import { kinds } from "../kubernetes/object.ts";
import { windowSpec } from "./window-spec.ts";

const names = (description: string) => list(text(), { maxItems: 10, description });

const status = object({
  observedGeneration: whole({ format: "int64" }),
  open: flag(),
  changedAt: time({ description: "when it last opened or closed" }),
  closesAt: time({ description: "when the current opening ends" }),
  nextOpening: time(),
  inside: whole({ description: "managed clusters that work in the current opening" }),
  waiting: whole({ description: "managed clusters that wait for the next opening" }),
  insideClusters: names("the first clusters that work in the current opening"),
  waitingClusters: names("the first clusters that wait"),
  waitingPools: names("MachineConfigPools with a change of mirrors that waits for the window"),
  upgrades: list(
    object({
      namespace: required(text()),
      name: required(text()),
      inside: required(whole()),
      waiting: required(whole()),
    }),
    { maxItems: 20, description: "the ClusterGroupUpgrades that these clusters belong to" },
  ),
  conditions: asWritten(conditionsDefinition),
});

/** The CustomResourceDefinition of MaintenanceWindow. */
export const windowDefinition: KindDefinition = {
  about:
    "When work may happen on managed clusters and on the hub's own nodes; see docs/reference/maintenance-windows.md.",
  kind: kinds.MaintenanceWindow,
  shortName: "mwin",
  columns: [
    { name: "Open", type: "boolean", jsonPath: ".status.open" },
    {
      name: "Next",
      type: "string",
      jsonPath: ".status.nextOpening",
      description: "start of the next opening in UTC",
    },
    { name: "Schedule", type: "string", jsonPath: ".spec.schedule" },
    { name: "Zone", type: "string", jsonPath: ".spec.timeZone" },
    { name: "Duration", type: "string", jsonPath: ".spec.duration" },
    { name: "Inside", type: "integer", jsonPath: ".status.inside", priority: 1 },
    { name: "Waiting", type: "integer", jsonPath: ".status.waiting", priority: 1 },
  ],
  hasStatus: true,
  fields: object({ spec: required(windowSpec), status }),
};
