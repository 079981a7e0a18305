import * as z from "zod";
import { readyStatuses } from "#shared/domain/ready/judge.ts";
import { condition, count, issues, side, texts } from "./outcome-shapes.ts";

/* The data of outcome events about pre-caching. */

const forecast = z
  .object({
    clusters: count,
    done: count.describe("clusters that have every image"),
    failed: count.describe("clusters that will not have them without a retry"),
    expected: count.describe("clusters whose end is expected"),
    unknown: count.describe("clusters whose end is unknown"),
    expectedEnd: side(z.string()).describe("when the last of those expected ends, in RFC 3339"),
    latestEnd: side(z.string()).describe("the same when all are as slow as is likely"),
    late: count
      .optional()
      .describe(
        "clusters that fail, that windows never let end, or that end after the time in `hubrelay.dev/enable-after-precaching`",
      ),
  })
  .meta({ id: "forecast" });

/** The plan of one ClusterGroupUpgrade. */
export const planData = z
  .object({
    namespace: z.string().describe("of the ClusterGroupUpgrade"),
    name: z.string().describe("of the ClusterGroupUpgrade"),
    spec: z
      .object({
        platformImage: z.string().describe("the release image; empty when there is none"),
        operatorsIndexes: texts,
        operatorsPackagesAndChannels: texts.describe("`package:channel` each"),
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
    forecast: forecast.optional().describe("when they have their images; absent when none is planned"),
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

/** The end of a run without all images. */
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

/** The result of a check that has found images missing. */
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

/** The images of a ClusterGroupUpgrade that are not ready. */
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

/** The end of all runs of a ClusterGroupUpgrade. */
export const finishedData = z
  .object({
    cgu: upgrade,
    revision,
    status: z.enum(["True", "False", "Unknown"]).describe("of the condition `PrecachingSuceeded`"),
    reason: z.string().describe("of that condition"),
    message: z.string().describe("of that condition"),
  })
  .meta({ id: "upgradeFinished" });

/** A MaintenanceWindow whose openings are too short for the downloads of some clusters. */
export const shortWindowData = z
  .object({
    window: z.object({ namespace: z.string(), name: z.string() }).describe("the MaintenanceWindow"),
    clusterCount: count.describe("clusters that have more to pull than fits into an opening"),
    clusters: z
      .array(
        z.object({
          cgu: z.object({ namespace: z.string(), name: z.string() }).describe("the ClusterGroupUpgrade"),
          cluster: z.string().describe("the ManagedCluster"),
          openings: z.int().min(2).describe("the openings that it takes at least"),
        }),
      )
      .describe("the first ten of them, sorted by openings, most first"),
  })
  .meta({ id: "shortWindow" });
