import { hash } from "node:crypto";
import { byCodeUnit, fieldsOf, isStringList, ownValue, textOf } from "../kubernetes/json/values.ts";

/** The content that a cluster pre-caches, as in `status.precaching.spec` of a ClusterGroupUpgrade. */
export type PrecachingSpec = Readonly<{
  /** The release image; empty if no release is pre-cached. */
  platformImage: string;
  operatorsIndexes: readonly string[];
  /** `package:channel` for the channel's head, or `package:channel:version` to pre-cache this version as well. */
  operatorsPackagesAndChannels: readonly string[];
  /** Basic regular expressions. An image of the release is left out if a pattern matches its `"tag$pullspec"`. */
  excludePrecachePatterns: readonly string[];
  additionalImages: readonly string[];
  /** A number of whole GiB, without a unit; empty if unknown. */
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

/** Returns the spec in `stored`, a `status.precaching.spec`. Absent fields and fields of a wrong type become empty. */
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

type PrecachingRun = Readonly<{
  spec: PrecachingSpec;
  workloadImage: string;
}>;

const sorted = (list: readonly string[]): readonly string[] => [...new Set(list)].sort(byCodeUnit);

/** Returns a hash of the spec and the workload image: ten hexadecimal digits, for names and label values. */
export function revisionOf({ spec, workloadImage }: PrecachingRun): string {
  const content = JSON.stringify([
    workloadImage,
    spec.platformImage,
    sorted(spec.operatorsIndexes),
    // The order of packages matters, because a package's last channel wins.
    spec.operatorsPackagesAndChannels,
    sorted(spec.excludePrecachePatterns),
    sorted(spec.additionalImages),
    spec.spaceRequired,
  ]);
  return hash("sha256", content).slice(0, 10);
}
