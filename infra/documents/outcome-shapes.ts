import * as z from "zod";
import { costs } from "#shared/domain/plan/cost.ts";
import { readyStatuses } from "#shared/domain/ready/judge.ts";

/* Schemas of the data of outcome events. A schema with an `id` becomes a definition of its own in the JSON Schema. */

const count = z.int().min(0);
const texts = z.array(z.string());
const side = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, z.null()]);

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

const issues = {
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

const condition = z
  .object({
    type: z.string(),
    status: z.enum(["True", "False", "Unknown"]),
    reason: z.string(),
    message: z.string(),
  })
  .meta({ id: "condition" });

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

/** The data about one pool: the files of the pool's MachineConfig, and the cost of changing these files. */
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

/** The data of a refusal: the issues that led to it. */
export const issuesData = z.object(issues).meta({ id: "issues" });

const hostedCluster = {
  namespace: z.string().describe("of the HostedCluster"),
  name: z.string().describe("of the HostedCluster"),
  version: side(z.string()).describe("its OpenShift version; null when the release does not report one"),
};

const derived = z
  .object({ catalogs: z.record(z.string(), z.string()).describe("annotations about catalogs") })
  .meta({ id: "derivedFields" });

const hosted = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.object({ ...hostedCluster, ...shape, ...issues }).meta({ id });

/** The data of outcomes about hosted clusters. The key is the last word of the outcome's type. */
export const hostedData = {
  changing: hosted("hostedClusterChanging", {
    from: derived.describe("the fields as they were"),
    to: derived.describe("the fields as they are now"),
    consequence: z.string().describe("the effect on the hosted cluster"),
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

/** The plan of one ClusterGroupUpgrade. */
export const planData = z
  .object({
    namespace: z.string().describe("of the ClusterGroupUpgrade"),
    name: z.string().describe("of the ClusterGroupUpgrade"),
    spec: z
      .object({
        platformImage: z.string().describe("the release image; empty when there is none"),
        operatorsIndexes: texts,
        operatorsPackagesAndChannels: texts.describe("`package:channel` or `package:channel:version` each"),
        excludePrecachePatterns: texts,
        additionalImages: texts,
        spaceRequired: z.string().describe("whole GiB; empty while it is not known"),
      })
      .describe("what every cluster pre-caches"),
    conditions: z.array(condition).describe("as in the status"),
    clusterCount: count.describe("how many clusters are selected"),
    clusters: z
      .array(
        z.object({ name: z.string(), action: z.enum(["precache", "leave out", "wait"]), reason: z.string() }),
      )
      .describe("the first fifty of them: what happens to each cluster, and why"),
    ...issues,
  })
  .meta({ id: "plan" });

const upgrade = z
  .object({
    namespace: z.string(),
    name: z.string(),
    uid: z.string().optional().describe("differs when the object was recreated under the same name"),
  })
  .describe("the ClusterGroupUpgrade");
const revision = z.string().describe("identifies the content; different content has a different revision");

/** The data about a cluster whose pre-caching ended before the cluster had all images. */
export const clusterData = z
  .object({
    cgu: upgrade,
    cluster: z.string().describe("the ManagedCluster"),
    revision,
    attempt: z.int().min(1).describe("1, and one more for each retry"),
    reason: z.string().describe("one word, as in a condition"),
    message: z.string().describe("the reason in a sentence"),
    imagesDone: count.optional().describe("images on the node; absent when not reported"),
    imagesTotal: count.optional().describe("images requested"),
    bytesDone: count.optional().describe("bytes pulled"),
    state: z
      .enum(["PrecacheTimeout", "UnrecoverableError"])
      .describe("as in `status.precaching.status` of the ClusterGroupUpgrade"),
  })
  .meta({ id: "clusterFailed" });

/** The data of a check that found missing images. */
export const lostData = z
  .object({
    cgu: upgrade,
    cluster: z.string().describe("the ManagedCluster"),
    revision,
    attempt: z.int().min(1).describe("the attempt that pre-cached them"),
    imagesPresent: count.describe("images that are still there"),
    imagesTotal: count.describe("images that should be there"),
    message: z.string().describe("names of missing images, the first that fit"),
    checked: z.iso.datetime().describe("when this was recorded"),
    opening: z.iso
      .datetime()
      .optional()
      .describe("the opening before which it was checked; absent when a check was requested"),
  })
  .meta({ id: "imagesMissing" });

/** The data about a ClusterGroupUpgrade with images that cannot be pulled yet. */
export const readinessData = z
  .object({
    cgu: upgrade,
    revision,
    message: z.string().describe("the result in a sentence, with the first images that are not ready"),
    imagesTotal: count.describe("images that the clusters pull"),
    notReadyCount: count.describe("images of these that are not ready"),
    notReady: z
      .array(
        z.object({
          image: z.string(),
          status: z.enum(readyStatuses).describe("as in the output of `hubrelay ready`"),
        }),
      )
      .describe("the first fifty of them"),
  })
  .meta({ id: "imagesNotReady" });

/** The data about a ClusterGroupUpgrade whose pre-caching has ended on all clusters. */
export const finishedData = z
  .object({
    cgu: upgrade,
    revision,
    status: z.enum(["True", "False", "Unknown"]).describe("of the condition `PrecachingSuceeded`"),
    reason: z.string().describe("of that condition"),
    message: z.string().describe("of that condition"),
  })
  .meta({ id: "upgradeFinished" });
