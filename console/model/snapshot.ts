import type { Kind, KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { ForecastOf } from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import { redactTexts } from "#shared/domain/text/redact.ts";
import type { Verification } from "#shared/runtime/verify.ts";

/** The input of all pages: the objects of the hub at one moment, and the functions' decisions about these objects. */
export type Snapshot = Readonly<{
  now: Date;
  /** Returns all objects of a kind, sorted by namespace and name; empty for a kind that the console does not read. */
  list(kind: Kind): readonly KubernetesObject[];
  /** The kinds that have not been read yet: an empty `list` does not mean that there are none. */
  unread: readonly string[];
  /** The results of `hubrelay verify` for the functions whose objects the console reads. */
  verifications: readonly Verification[];
  /** Returns forecasts, which may be cached for a moment; absent if each is computed anew. */
  forecastOf?: ForecastOf;
}>;

/** The parameters of all pages. */
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

/** The query of a page's address. A repeated parameter has its first value. */
export type Query = Readonly<Partial<Record<Parameter, string | undefined>>>;

/** Returns the address of a page with these parameters, without credentials; empty parameters are left out. */
export function address(path: string, query: Query): string {
  const given = Object.entries(redactTexts(query)).filter((entry): entry is [string, string] =>
    Boolean(entry[1]),
  );
  const text = new URLSearchParams(given).toString();
  return text === "" ? path : `${path}?${text}`;
}
