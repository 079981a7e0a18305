import { isRecord, isStringList } from "../../json/values.ts";
import { kinds } from "../../kubernetes/kinds.ts";
import { type KubernetesObject, timestamp } from "../../kubernetes/object.ts";
import { type ImageRecord, type ImageRecords, readImageRecord } from "./image-record.ts";
import { type ContentProblem, type Readiness, readinessReasons } from "./verdict.ts";

/** At some 400 bytes for each image a report stays below the API's size limit. */
export const maxImages = 2_000;

/** The images that an upgrade needs. */
export type Content = Readonly<{
  /** Identifies what is pre-cached. */
  revision: string;
  architectures: readonly string[];
  images: readonly string[];
  problems: readonly ContentProblem[];
  /** When releases and catalogs were read; undefined when they have to be read again. */
  readAt: string | undefined;
}>;

/** What a ReadinessReport holds. */
export type StoredReadiness = Content &
  Readiness &
  Readonly<{
    records: ImageRecords;
    /** When `ready` changed. */
    since: string;
    /** The last value that was not `Unknown`; undefined before there was one. */
    known: "True" | "False" | undefined;
  }>;

function readProblems(stored: unknown): readonly ContentProblem[] {
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((one) =>
    isRecord(one) && typeof one.text === "string"
      ? [{ text: one.text, isMissing: one.isMissing === true }]
      : [],
  );
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Reads a ReadinessReport. What cannot be read is as if it had not been written. */
export function readReadiness(report: KubernetesObject): StoredReadiness {
  const { revision, architectures, problems, readAt, ready, reason, message, since, known } = report;
  const stored = isRecord(report.images) ? report.images : {};
  const records = Object.entries(stored).flatMap(([image, one]): (readonly [string, ImageRecord])[] => {
    const record = readImageRecord(one);
    return record ? [[image, record]] : [];
  });
  return {
    revision: text(revision),
    architectures: isStringList(architectures) ? architectures : [],
    images: Object.keys(stored),
    problems: readProblems(problems),
    readAt: typeof readAt === "string" ? readAt : undefined,
    ready: ready === "True" || ready === "False" ? ready : "Unknown",
    reason: readinessReasons.find((one) => one === reason) ?? "ImagesBeingChecked",
    message: text(message),
    records: new Map(records),
    since: text(since),
    known: known === "True" || known === "False" ? known : undefined,
  };
}

/** Returns the report of an upgrade with this content; `before` is the one on the hub. */
export function readinessReport(
  cgu: KubernetesObject,
  before: KubernetesObject | undefined,
  { images, records, problems, known, readAt, ...fields }: StoredReadiness,
): KubernetesObject {
  const { apiVersion, kind } = kinds.ReadinessReport;
  const { namespace = "", name, uid } = cgu.metadata;
  const owner = { apiVersion: cgu.apiVersion, kind: cgu.kind, name };
  const metadata = before?.metadata ?? {
    namespace,
    name,
    ...(uid ? { ownerReferences: [{ ...owner, uid }] } : {}),
  };
  return {
    apiVersion,
    kind,
    metadata,
    ...fields,
    ...(known ? { known } : {}),
    ...(readAt === undefined ? {} : { readAt }),
    ...(problems.length > 0 ? { problems } : {}),
    images: Object.fromEntries(images.map((image) => [image, records.get(image) ?? {}])),
  };
}

/** Returns what is stored for a verdict: its time is that of the last change of `ready`. */
export function withVerdict(
  before: StoredReadiness | undefined,
  verdict: Readiness,
  now: Date,
): Pick<StoredReadiness, keyof Readiness | "since" | "known"> {
  const since = before?.ready === verdict.ready && before.since ? before.since : timestamp(now);
  const known = verdict.ready === "Unknown" ? before?.known : verdict.ready;
  return { ...verdict, since, known };
}

/** Returns whether this content is ready by the report of its upgrade. A report about other content says nothing. */
export function readinessFor(report: KubernetesObject | undefined, revision: string): Readiness {
  const stored = report && readReadiness(report);
  if (stored?.revision !== revision)
    return { ready: "Unknown", reason: "ImagesBeingChecked", message: "The images are not checked yet." };
  const { ready, reason, message } = stored;
  return { ready, reason, message };
}
