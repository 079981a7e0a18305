import { hash } from "node:crypto";
import { byCodeUnit, fieldsOf, isStringList, ownValue, textOf } from "../kubernetes/json/values.ts";

/** The content that a cluster pre-caches, as in `status.precaching.spec` of a ClusterGroupUpgrade. */
export type PrecachingSpec = Readonly<{
  /** The release image; empty if none is pre-cached. */
  platformImage: string;
  operatorsIndexes: readonly string[];
  /** `package:channel` for the channel's head, or `package:channel:version` to cache the named version as well. */
  operatorsPackagesAndChannels: readonly string[];
  /** Basic regular expressions; `"tag$pullspec"` of each image in the release is compared with them. */
  excludePrecachePatterns: readonly string[];
  additionalImages: readonly string[];
  /** Whole GiB without a unit; empty when unknown. */
  spaceRequired: string;
}>;

/** The spec of an upgrade that could not be planned. */
export const emptySpec: PrecachingSpec = {
  platformImage: "",
  operatorsIndexes: [],
  operatorsPackagesAndChannels: [],
  excludePrecachePatterns: [],
  additionalImages: [],
  spaceRequired: "",
};

/** Returns the spec as TALM stores it, without empty fields. */
export function storedSpec(spec: PrecachingSpec): Partial<PrecachingSpec> {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value.length > 0));
}

/** Reads `status.precaching.spec`, written by TALM or hubrelay. Absent fields and fields of a wrong type become empty. */
export function readStoredSpec(stored: unknown): PrecachingSpec {
  const fields = fieldsOf(stored);
  const text = (name: string): string => textOf(ownValue(fields, name)) ?? "";
  const list = (name: string): readonly string[] => {
    const value = ownValue(fields, name);
    return isStringList(value) ? value : [];
  };
  return {
    platformImage: text("platformImage"),
    operatorsIndexes: list("operatorsIndexes"),
    operatorsPackagesAndChannels: list("operatorsPackagesAndChannels"),
    excludePrecachePatterns: list("excludePrecachePatterns"),
    additionalImages: list("additionalImages"),
    spaceRequired: text("spaceRequired"),
  };
}

/** The content of a pre-caching Job, which cannot change while the Job runs. */
type PrecachingRun = Readonly<{
  spec: PrecachingSpec;
  workloadImage: string;
}>;

const sorted = (list: readonly string[]): readonly string[] => [...new Set(list)].sort(byCodeUnit);

/**
 * Returns a hash of a Job's content: ten hexadecimal digits, for names and label values. The order of images and
 * patterns affects neither hash nor pulls. The order of packages affects both: a package's last channel wins.
 */
export function revisionOf({ spec, workloadImage }: PrecachingRun): string {
  const content = JSON.stringify([
    workloadImage,
    spec.platformImage,
    sorted(spec.operatorsIndexes),
    spec.operatorsPackagesAndChannels,
    sorted(spec.excludePrecachePatterns),
    sorted(spec.additionalImages),
    spec.spaceRequired,
  ]);
  return hash("sha256", content).slice(0, 10);
}
