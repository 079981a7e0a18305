import type { Kind, KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { ForecastOf } from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import { redactTexts } from "#shared/domain/text/redact.ts";
import type { Verification } from "#shared/runtime/verify.ts";

/** What waits in a queue. */
export type QueueFacts = Readonly<{
  /** hubrelay's own name for it. */
  name: string;
  /** Why nothing is known of it. */
  unknown?: string;
  waiting?: number;
  /** Since when it was never seen empty. */
  busySince?: Date;
  deadLetters?: number;
  /** Why its dead letters are not known. */
  deadLettersUnknown?: string;
}>;

/** The queues that the settings name, or why none is known. */
export type Queues = Readonly<{ all: readonly QueueFacts[] }> | Readonly<{ unknown: string }>;

/** What the pages are made from: the objects of the hub at one moment, and what its functions decide about them. */
export type Snapshot = Readonly<{
  now: Date;
  /** Returns all objects of a kind, sorted by namespace and name; none of a kind that the console does not read. */
  list(kind: Kind): readonly KubernetesObject[];
  /** The kinds of which nothing is read yet: that `list` returns none of them says nothing. */
  unread: readonly string[];
  /** As of `hubrelay verify`, for the functions whose objects the console reads. */
  verifications: readonly Verification[];
  queues: Queues;
  /** Returns forecasts, perhaps ones of a moment ago; absent where each is made anew. */
  forecastOf?: ForecastOf;
}>;

/** The parameters that any page has. */
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
  | "source"
  | "pool"
  | "find";

/** The query of a page's address. A name that is repeated has its first value. */
export type Query = Readonly<Partial<Record<Parameter, string | undefined>>>;

/** Returns the address of a page with these parameters, without credentials; empty ones are left out. */
export function address(path: string, query: Query): string {
  const given = Object.entries(redactTexts(query)).filter((entry): entry is [string, string] =>
    Boolean(entry[1]),
  );
  const text = new URLSearchParams(given).toString();
  return text === "" ? path : `${path}?${text}`;
}
