import { fieldWarning, type Issue } from "../../issues/issue.ts";
import { someOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { bytesPerGib, gibText, type PrecacheSizes } from "../../precache-model/precache-plan.ts";
import type { PrecachingSpec } from "../../precache-model/precaching-spec.ts";
import { sentence } from "../../text/redact.ts";

const maxNamed = 10;

/** Returns the issues of a plan's sizes: clusters without enough room, and a `spaceRequired` that is too small. */
export function sizeIssues(
  cgu: KubernetesObject,
  { spaceRequired }: PrecachingSpec,
  { clusters }: PrecacheSizes,
): readonly Issue[] {
  const warning = (code: Issue["code"], value: unknown, message: string, remedy: string) =>
    fieldWarning(cgu, "spec", value, { code, message, remedy });
  const small = clusters.filter(({ room }) => room === "too small").map(({ name }) => name);
  const largest = clusters.reduce((most, { totalBytes }) => Math.max(most, totalBytes ?? 0), 0);
  return [
    ...(largest > Number(spaceRequired) * bytesPerGib
      ? [
          warning(
            "SpaceRequiredTooSmall",
            sentence`${spaceRequired} GiB`,
            sentence`The images are ${gibText(largest)} to pull, and more on the disk: spaceRequired is too small.`,
            "Raise spaceRequired in the PreCachingConfig.",
          ),
        ]
      : []),
    ...(small.length > 0
      ? [
          warning(
            "NoRoom",
            small.length,
            sentence`These clusters do not have room for the images: ${someOf(small, maxNamed)}.`,
            "Free space on them, or pre-cache less there.",
          ),
        ]
      : []),
  ];
}
