import * as z from "zod";
import { costs } from "#shared/domain/plan/cost.ts";

/*
 * The data of outcome events. A shape with an id becomes a definition of its own in the JSON Schema and a table of
 * its own in the documentation.
 */

export const count = z.int().min(0);
export const texts = z.array(z.string());
/** Null where one side does not exist. */
export const side = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, z.null()]);

const issue = z
  .object({
    code: z.string().describe("what is wrong, for machines"),
    severity: z
      .enum(["error", "warning"])
      .describe("an error makes a rule unusable, a warning changes nothing"),
    object: z
      .object({ kind: z.string(), namespace: z.string().optional(), name: z.string() })
      .describe("the object to edit"),
    path: z.string().describe("the field, from the object's root"),
    value: z.unknown().optional().describe("what was found there; absent when nothing was"),
    message: z.string().describe("what is wrong, in a sentence"),
    remedy: z.string().describe("the remedy, in a sentence"),
  })
  .meta({ id: "issue" });

/** The beginning of an issue list, and the length of the whole list. */
export const issues = {
  issueCount: count.describe("how many issues there are"),
  issues: z.array(issue).describe("the first fifty of them"),
};

const cost = z.enum(costs);
const rule = z.object({ code: z.string(), text: z.string() });
const fileState = z.object({ bytes: count, mode: z.int(), sha256: z.string() }).meta({ id: "fileState" });
const registryEntry = z
  .object({
    prefix: z.string(),
    location: z.string(),
    insecure: z.boolean(),
    blocked: z.boolean(),
    mirrorByDigestOnly: z.boolean(),
    mirrors: z.array(z.object({ location: z.string(), insecure: z.boolean(), pullFromMirror: z.string() })),
  })
  .meta({ id: "registryEntry" });

const verdict = { kind: z.enum(["added", "removed", "changed"]), cost, rule };
const change = z
  .union([
    z
      .object({ path: z.string(), before: side(fileState), after: side(fileState), ...verdict })
      .describe("A file"),
    z
      .object({ scope: z.string(), before: side(registryEntry), after: side(registryEntry), ...verdict })
      .describe("A scope of registries.conf"),
    z
      .object({ path: z.string(), before: texts, after: texts, ...verdict, kind: z.literal("changed") })
      .describe("The registries for short names"),
  ])
  .meta({ id: "change" });

export const condition = z
  .object({
    type: z.string(),
    status: z.enum(["True", "False", "Unknown"]),
    reason: z.string(),
    message: z.string(),
  })
  .meta({ id: "condition" });

/** Whether a change to nodes waits. */
const circumstances = {
  conditions: z
    .array(condition)
    .describe(
      "`Held`: True while the change waits, False when a maintenance window lets it through; empty otherwise",
    ),
  window: z
    .object({
      namespace: z.string(),
      name: z.string(),
      closesAt: z.iso.datetime().optional().describe("of the window that lets the change through"),
      opensAt: z.iso.datetime().optional().describe("of the window that the change waits for"),
    })
    .optional()
    .describe("the MaintenanceWindow that the change waits for, or that lets it through"),
};

/** A pool's MachineConfig and its cost. */
export const poolData = z
  .object({
    pool: z.string().describe("the MachineConfigPool"),
    machineConfig: z.string().describe("the MachineConfig of the pool"),
    rules: z.object({
      applied: count.describe("rules that take effect"),
      leftOut: count.describe("rules that do not, because they are invalid"),
    }),
    files: z
      .array(z.object({ path: z.string(), bytes: count, sha256: z.string() }))
      .describe("the desired files of the MachineConfig, the SHA-256 in hexadecimal digits"),
    cost: z.object({
      cost: cost.describe("the highest cost of all changes"),
      actions: texts.describe("what a node does, in order"),
      rule: rule.describe("the rule that determines the cost: a code and a sentence"),
      changes: z.array(change).describe("the fifty changes with the highest cost"),
    }),
    ...circumstances,
    ...issues,
  })
  .meta({ id: "pool" });

/** The issues that led to a refusal. */
export const issuesData = z.object(issues).meta({ id: "issues" });

const hostedCluster = {
  namespace: z.string().describe("of the HostedCluster"),
  name: z.string().describe("of the HostedCluster"),
  version: side(z.string()).describe("its OpenShift version; null when the release does not report one"),
};

const derived = z
  .object({
    catalogs: z.record(z.string(), z.string()).optional().describe("annotations about catalogs"),
    contentSources: z.unknown().optional().describe("`spec.imageContentSources`"),
  })
  .meta({ id: "derivedFields" });

const rollout = z
  .object({
    cost: cost.describe("the highest cost of all NodePools"),
    rule: rule.describe("the rule that determines the cost: a code and a sentence"),
    nodePools: z
      .array(
        z.object({
          name: z.string(),
          upgradeType: side(z.enum(["Replace", "InPlace"])).describe("null when it is neither"),
          nodes: side(count).describe("the number of nodes; null when unknown"),
          cost,
        }),
      )
      .describe("the first fifty of them"),
  })
  .meta({ id: "rollout" });

const hosted = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.object({ ...hostedCluster, ...shape, ...issues }).meta({ id });

/** The data of each outcome by the last word of its type. */
export const hostedData = {
  held: hosted("hostedClusterHeld", {
    from: derived.describe("the fields as they are"),
    to: derived.describe("the fields as they will be"),
    cost: rollout,
    ...circumstances,
  }),
  changing: hosted("hostedClusterChanging", {
    from: derived.describe("the fields as they were"),
    to: derived.describe("the fields as they are now"),
    consequence: z.string().describe("the effect on the hosted cluster"),
    cost: rollout.optional().describe("absent when the nodes' mirrors stay the same"),
    conditions: circumstances.conditions.optional(),
    window: circumstances.window,
  }),
  drift: hosted("hostedClusterDrift", {
    about: z.string().describe("`ControlPlane`, `Overrides` or `Guest`"),
    since: z.iso.datetime().describe("since when it differs"),
    owner: z.string().describe("who should have written it"),
    differences: texts.describe("the first fifty differences, one sentence each"),
    differenceCount: count.describe("how many differences there are"),
  }),
  refused: hosted("hostedClusterRefused", {}),
} as const;
