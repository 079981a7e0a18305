import {
  choice,
  flag,
  list,
  map,
  object,
  partial,
  required,
  text,
  time,
  valueIn,
} from "../../issues/field.ts";
import { fieldsOf } from "../../kubernetes/json/values.ts";
import { type KubernetesObject, kinds, timestamp } from "../../kubernetes/object.ts";
import { type AccessEnd, accessKinds } from "../access-ends.ts";
import { unresponsiveCode } from "../judge.ts";
import { type ImageRecords, imageRecord } from "./image-record.ts";
import { type ContentProblem, type Readiness, readinessReasons } from "./verdict.ts";

/** The maximum number of images in a report: at about 400 bytes each, the report stays below the API's size limit. */
export const maxImages = 2_000;

/** The content of an upgrade: the images that clusters pull for it. */
export type Content = Readonly<{
  /** Identifies the content; other content has another revision. */
  revision: string;
  architectures: readonly string[];
  /** The release's version, which decides which signatures are required; undefined if no release could be read. */
  version?: string | undefined;
  images: readonly string[];
  problems: readonly ContentProblem[];
  /** When releases and catalogs were read; undefined if they must be read again. */
  readAt: string | undefined;
}>;

/** Everything that a ReadinessReport stores. */
export type StoredReadiness = Content &
  Readiness &
  Readonly<{
    records: ImageRecords;
    /** When `ready` last changed. */
    since: string;
    /** The last value of `ready` other than `Unknown`; undefined if there was none. */
    known: "True" | "False" | undefined;
    warnings: readonly string[];
    accessEnds: readonly AccessEnd[];
  }>;

/** The fields of a ReadinessReport. */
export const readinessFields = partial({
  revision: required(text({ description: "Names the content that is pre-cached." })),
  architectures: list(text(), {
    description: "The architectures of the clusters; of a list of manifests each must be there.",
  }),
  version: text({ description: "The version of the release, which decides which images must be signed." }),
  readAt: time({ description: "When the release and the catalogs were read for their images." }),
  ready: required(
    choice(["True", "False", "Unknown"], {
      description:
        "Whether every image is ready. Unknown while they are checked, or when registries do not respond.",
    }),
  ),
  reason: required({
    ...text({ description: "One word." }),
    read: (value) => readinessReasons.find((one) => one === value),
  }),
  message: required(text()),
  since: required(time({ description: "When `ready` changed." })),
  known: choice(["True", "False"], { description: "The last value of `ready` that was not Unknown." }),
  problems: list(
    object({
      text: required(text()),
      isMissing: required({
        ...flag({ description: "Whether something is certainly missing; otherwise it could not be read." }),
        read: (value) => value === true,
      }),
    }),
    { description: "Why images are not known, or what else is missing." },
  ),
  warnings: list(
    object({
      code: required(text({ description: "As in the output of `hubrelay ready`." })),
      message: required(text()),
    }),
    { description: "What costs nodes time although images are ready." },
  ),
  accessEnds: list(
    object({
      what: required(choice(accessKinds, { description: "Kind of what ends." })),
      name: required(text({ description: "The registry; `cluster` for the bundle for every registry." })),
      ends: required(time()),
    }),
    {
      description:
        "When certificates of registries, bundles of certificate authorities and tokens of the pull secret end: the first 20.",
    },
  ),
  images: required(
    map(imageRecord, {
      description: "The images by name. One without fields has not been checked yet.",
    }),
  ),
});

/** Reads a ReadinessReport; invalid fields count as absent. */
export function readReadiness(report: KubernetesObject): StoredReadiness {
  const read = valueIn(readinessFields, report) ?? {};
  return {
    revision: read.revision ?? "",
    architectures: read.architectures ?? [],
    version: read.version,
    images: Object.keys(fieldsOf(report.images)),
    problems: read.problems ?? [],
    readAt: read.readAt,
    ready: read.ready ?? "Unknown",
    reason: read.reason ?? "ImagesBeingChecked",
    message: read.message ?? "",
    records: read.images ?? new Map(),
    since: read.since ?? "",
    known: read.known,
    warnings: (read.warnings ?? []).map(({ message }) => message),
    accessEnds: read.accessEnds ?? [],
  };
}

/** Returns an upgrade's ReadinessReport with these fields. `before` is the report on the hub; its metadata stays. */
export function readinessReport(
  cgu: KubernetesObject,
  before: KubernetesObject | undefined,
  { images, records, problems, known, readAt, warnings, accessEnds, version, ...fields }: StoredReadiness,
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
    ...(version === undefined ? {} : { version }),
    ...(readAt === undefined ? {} : { readAt }),
    ...(problems.length > 0 ? { problems } : {}),
    ...(warnings.length > 0
      ? { warnings: warnings.map((message) => ({ code: unresponsiveCode, message })) }
      : {}),
    ...(accessEnds.length > 0 ? { accessEnds } : {}),
    images: Object.fromEntries(images.map((image) => [image, records.get(image) ?? {}])),
  };
}

/** Returns the report's fields for a verdict. `since` changes only if `ready` changes. */
export function withVerdict(
  before: StoredReadiness | undefined,
  verdict: Readiness,
  now: Date,
): Pick<StoredReadiness, keyof Readiness | "since" | "known"> {
  const since = before?.ready === verdict.ready && before.since ? before.since : timestamp(now);
  const known = verdict.ready === "Unknown" ? before?.known : verdict.ready;
  return { ...verdict, since, known };
}

/** Returns the readiness of this revision; `Unknown` if there is no report, or if it is about another revision. */
export function readinessFor(report: KubernetesObject | undefined, revision: string): Readiness {
  const stored = report && readReadiness(report);
  if (stored?.revision !== revision)
    return { ready: "Unknown", reason: "ImagesBeingChecked", message: "The images are not checked yet." };
  const { ready, reason, message, warnings } = stored;
  return { ready, reason, message: [message, ...warnings].join(" ") };
}
