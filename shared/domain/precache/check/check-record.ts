import { isRecord, ownValue } from "../../json/values.ts";

/** The last check of whether a cluster still has the images that were pre-cached, or the one in progress. */
export type ClusterCheck = Readonly<{
  /** When it started, in RFC 3339; this identifies it. */
  started: string;
  /** The attempt whose images it looks for. */
  attempt: number;
  /** The opening before which it is made; absent for one that a person requested. */
  opening?: string;
  /** When its result was recorded; absent while it is in progress. */
  checked?: string;
  /** Absent when there is no result. */
  imagesPresent?: number;
  imagesTotal?: number;
  /** The names of missing images, or why there is no result. */
  message?: string;
}>;

const fieldTypes: Readonly<Record<string, "string" | "number">> = {
  started: "string",
  attempt: "number",
  opening: "string",
  checked: "string",
  imagesPresent: "number",
  imagesTotal: "number",
  message: "string",
};

/** True for a check as hubrelay records it, without any other field. */
export function isStoredCheck(stored: unknown): stored is ClusterCheck {
  if (!isRecord(stored) || stored.started === undefined || stored.attempt === undefined) return false;
  for (const name in stored) if (typeof ownValue(stored, name) !== ownValue(fieldTypes, name)) return false;
  return true;
}

/** Reads a recorded check, without fields of other types; undefined when it cannot be identified. */
export function storedCheckOf(stored: unknown): ClusterCheck | undefined {
  const own = Object.entries(isRecord(stored) ? stored : {}).filter(
    ([name, value]) => typeof value === ownValue(fieldTypes, name),
  );
  const known: unknown = Object.fromEntries(own);
  return isStoredCheck(known) ? known : undefined;
}
