import { isRecord, isStringList } from "../../json/values.ts";

/** What a cluster pre-caches, as `status.precaching.spec` of a ClusterGroupUpgrade has it. */
export type PrecachingSpec = Readonly<{
  /** A release image; empty for none. */
  platformImage: string;
  operatorsIndexes: readonly string[];
  /** `package:channel`. */
  operatorsPackagesAndChannels: readonly string[];
  /** Basic regular expressions over `"tag$pullspec"` of release images. */
  excludePrecachePatterns: readonly string[];
  additionalImages: readonly string[];
  /** Whole GiB without a unit; empty while it is not known. */
  spaceRequired: string;
}>;

/** Nothing to pre-cache: what a plan that could not be made has. */
export const emptySpec: PrecachingSpec = {
  platformImage: "",
  operatorsIndexes: [],
  operatorsPackagesAndChannels: [],
  excludePrecachePatterns: [],
  additionalImages: [],
  spaceRequired: "",
};

/** As it is stored: TALM leaves out what is empty, and the API server would keep it. */
export function storedSpec(spec: PrecachingSpec): Partial<PrecachingSpec> {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value.length > 0));
}

/** Reads `status.precaching.spec`, by TALM or by hubrelay; fields that are absent or of another type are empty. */
export function readStoredSpec(stored: unknown): PrecachingSpec {
  const fields = isRecord(stored) ? stored : {};
  const text = (name: string): string => (typeof fields[name] === "string" ? fields[name] : "");
  const list = (name: string): readonly string[] => {
    const value = fields[name];
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
