import * as z from "zod";
import type { OutcomeEvent } from "../events/outcome-event.ts";
import {
  clusterData,
  finishedData,
  hostedData,
  issuesData,
  planData,
  poolData,
  shortWindowData,
  windowData,
} from "./outcome-shapes.ts";

/** One type of outcome event: when it is sent, as the rest of a sentence, and its `data`. */
export type OutcomeType = Readonly<{ type: OutcomeEvent["type"]; when: string; data: z.ZodType }>;

/**
 * Every outcome event of every function: the only source of the JSON Schema and of the tables in the documentation,
 * and the reference for tests of the functions. Only tools and tests import it, so that the functions stay small.
 */
export const outcomeTypes: readonly OutcomeType[] = [
  {
    type: "dev.hubrelay.mirror-config.rendered",
    when: "a MachineConfig was written",
    data: poolData,
  },
  {
    type: "dev.hubrelay.mirror-config.held",
    when: "a change waits because its cost is higher than the pool allows",
    data: poolData,
  },
  {
    type: "dev.hubrelay.mirror-config.expected",
    when: "verify mode: the owner is expected to write different content",
    data: poolData,
  },
  {
    type: "dev.hubrelay.mirror-config.drift",
    when: "verify mode: the owner has not written it in time",
    data: poolData,
  },
  {
    type: "dev.hubrelay.mirror-config.refused",
    when: "something is refused, and no MachineConfig changes",
    data: issuesData,
  },
  {
    type: "dev.hubrelay.hosted-clusters.writing",
    when: "own mode: an object of a hosted cluster was written",
    data: hostedData.writing,
  },
  {
    type: "dev.hubrelay.hosted-clusters.changing",
    when: "fields that were handed over have changed in a HostedCluster, and its control plane is being updated",
    data: hostedData.changing,
  },
  {
    type: "dev.hubrelay.hosted-clusters.changed",
    when: "those fields are in effect in the control plane",
    data: hostedData.changed,
  },
  {
    type: "dev.hubrelay.hosted-clusters.drift",
    when: "verify mode: the owner has not written the desired state of a hosted cluster in time",
    data: hostedData.drift,
  },
  {
    type: "dev.hubrelay.hosted-clusters.release",
    when: "a HostedCluster requests another minor version",
    data: hostedData.release,
  },
  {
    type: "dev.hubrelay.hosted-clusters.refused",
    when: "something is refused about a HostedCluster, and no other outcome is sent for it",
    data: hostedData.refused,
  },
  {
    type: "dev.hubrelay.precache-plan.planned",
    when: "pre-caching of a ClusterGroupUpgrade is planned, with something new to do",
    data: planData,
  },
  {
    type: "dev.hubrelay.precache-plan.changed",
    when: "the plan of a ClusterGroupUpgrade has changed, with nothing new to do",
    data: planData,
  },
  {
    type: "dev.hubrelay.precache.cluster-succeeded",
    when: "a cluster has all images",
    data: clusterData.succeeded,
  },
  {
    type: "dev.hubrelay.precache.cluster-failed",
    when: "a cluster's run has failed or reached its deadline",
    data: clusterData.failed,
  },
  {
    type: "dev.hubrelay.precache.finished",
    when: "pre-caching of a ClusterGroupUpgrade has ended for all its clusters",
    data: finishedData,
  },
  {
    type: "dev.hubrelay.maintenance-window.opened",
    when: "a MaintenanceWindow has opened",
    data: windowData,
  },
  {
    type: "dev.hubrelay.maintenance-window.closed",
    when: "a MaintenanceWindow has closed",
    data: windowData,
  },
  {
    type: "dev.hubrelay.maintenance-window.too-short",
    when: "clusters have more to pull than fits into an opening of a MaintenanceWindow",
    data: shortWindowData,
  },
];

const eventOf = ({ type, when, data }: OutcomeType) =>
  z
    .object({
      specversion: z.literal("1.0"),
      type: z.literal(type),
      source: z.string().describe("the hub"),
      subject: z.string().describe("what the outcome is about"),
      id: z.string().describe("the same each time the same outcome is sent"),
      datacontenttype: z.literal("application/json"),
      correlationid: z
        .string()
        .optional()
        .describe("the id of the change that caused it, for a search in the logs"),
      data,
    })
    .describe(when)
    .meta({ id: type });

/**
 * Returns the JSON Schema (2020-12) of all outcome events, with one definition for each type: `#/$defs/<type>`. The
 * open schema is for subscribers and accepts fields that later versions add. The strict schema accepts no unknown
 * field.
 */
export function outcomeJsonSchema(fields: "open" | "strict"): z.core.JSONSchema.JSONSchema {
  const [first, ...others] = outcomeTypes.map(eventOf);
  if (!first) throw new Error("there are no outcome types");
  const all = z.discriminatedUnion("type", [first, ...others]).meta({ title: "Outcome events of hubrelay" });
  return z.toJSONSchema(all, {
    io: fields === "open" ? "input" : "output",
    override: ({ jsonSchema }) => {
      // Every JavaScript integer has these limits; they are not part of the contract.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      // Redundant with `format`.
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
    },
  });
}
