import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { plannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import type { ReadyStatus } from "#shared/domain/ready/judge.ts";
import type { ImageRecord } from "#shared/domain/ready/record/image-record.ts";
import {
  readinessReport,
  type StoredReadiness,
  withVerdict,
} from "#shared/domain/ready/record/readiness-report.ts";
import { readinessOf } from "#shared/domain/ready/record/verdict.ts";

/** Returns the ReadinessReport of an upgrade whose images were all found like this `at` one time. */
export function aReadinessReport(
  cgu: KubernetesObject,
  statuses: Readonly<Record<string, ReadyStatus | undefined>>,
  at: string,
  fields: Partial<StoredReadiness> = {},
): KubernetesObject {
  const images = Object.keys(statuses);
  const records = new Map(
    Object.entries(statuses).flatMap(([image, status]): (readonly [string, ImageRecord])[] =>
      status ? [[image, { status, at, basis: "b" }]] : [],
    ),
  );
  const { problems = [] } = fields;
  const verdict = readinessOf(images, records, problems, new Set(["unreachable"]));
  return readinessReport(cgu, undefined, {
    revision: plannedUpgrade(cgu)?.revision ?? "",
    architectures: ["amd64"],
    images,
    problems,
    readAt: at,
    records,
    warnings: [],
    accessEnds: [],
    ...withVerdict(undefined, verdict, new Date(at)),
    ...fields,
  });
}
