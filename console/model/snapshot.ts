import type { Kind, KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { ForecastOf } from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import { redactTexts } from "#shared/domain/text/redact.ts";
import type { Verification } from "#shared/runtime/verify.ts";

/** The input of all pages: the objects on the hub at one moment, and the functions' decisions about these objects. */
export type Snapshot = Readonly<{
  now: Date;
  /** Returns the objects of a kind, sorted by namespace and name. Empty for a kind that the console does not read. */
  list(kind: Kind): readonly KubernetesObject[];
  /** The kinds that have not been read yet. For these, an empty `list` does not mean that there are no objects. */
  unread: readonly string[];
  /** What `hubrelay verify` would find, for functions whose input the console reads. */
  verifications: readonly Verification[];
  /** Returns a forecast that may be some seconds old. If this function is absent, each forecast is computed anew. */
  forecastOf?: ForecastOf;
}>;

/** The parameters in addresses of pages. */
export type Parameter =
  | "upgrade"
  | "state"
  | "site"
  | "reason"
  | "by"
  | "cluster"
  | "window"
  | "image"
  | "namespace"
  | "without"
  | "source"
  | "pool";

/** The parameters of an address. If a parameter occurs several times, its first value counts. */
export type Query = Readonly<Partial<Record<Parameter, string | undefined>>>;

/** Returns the address of a page with these parameters, without credentials. Empty parameters are left out. */
export function address(path: string, query: Query): string {
  const given = Object.entries(redactTexts(query)).filter((entry): entry is [string, string] =>
    Boolean(entry[1]),
  );
  const text = new URLSearchParams(given).toString();
  return text === "" ? path : `${path}?${text}`;
}
