import {
  catalogsFromMirrorsAnnotation,
  controlPlaneRelease,
  defaultCatalogsOf,
  fromMirrorsIssues,
} from "#shared/domain/hosted-clusters/olm-catalogs/default-catalogs.ts";
import {
  type CatalogAnnotations,
  catalogAnnotationNames,
  catalogAnnotations,
  mirroredIssues,
} from "#shared/domain/hosted-clusters/olm-catalogs/mirrored-catalogs.ts";
import { annotationIssue, type Issue } from "#shared/domain/issues/issue.ts";
import { isSameJson, ownValue } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { parseRelease } from "#shared/domain/openshift/releases/release.ts";
import { withOutcome } from "#shared/domain/plan/kept-outcomes.ts";
import { nothing, type PartialPlan, settled } from "#shared/domain/plan/partial-plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { derivesCatalogs } from "../snapshot/find-catalogs.ts";
import { type Context, clusterOutcome } from "./cluster-plan.ts";

function presentCatalogs({ metadata }: KubernetesObject): CatalogAnnotations {
  const { annotations = {} } = metadata;
  return Object.fromEntries(
    catalogAnnotationNames.flatMap((name) => {
      const value = ownValue(annotations, name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function withCatalogs(
  object: KubernetesObject,
  readAt: string | undefined,
  catalogs: CatalogAnnotations,
): KubernetesObject {
  const { annotations = {} } = object.metadata;
  const others = Object.entries(annotations).filter(([name]) => !catalogAnnotationNames.includes(name));
  return {
    ...object,
    metadata: {
      ...object.metadata,
      ...(readAt ? { resourceVersion: readAt } : {}),
      annotations: Object.fromEntries([...others, ...Object.entries(catalogs)]),
    },
  };
}

function catalogIssues({ cluster, findings }: Context): readonly Issue[] {
  const invalid = fromMirrorsIssues(cluster.object);
  if (invalid.length > 0) return invalid;
  const release = parseRelease(cluster.version);
  if (findings.state === "found" && derivesCatalogs(cluster) && release)
    return mirroredIssues(cluster, release, findings.catalogs);
  if (findings.state !== "incomplete") return [];
  return [
    annotationIssue(cluster.object, catalogsFromMirrorsAnnotation, {
      code: "CatalogsNotFound",
      severity: "warning",
      message: sentence`Not every catalog was found, and a control plane of ${controlPlaneRelease(cluster)} refuses an incomplete set, so none is changed: ${findings.messages.join("; ")}.`,
      remedy: sentence`Mirror ${defaultCatalogsOf(cluster)
        .map(({ repository }) => repository)
        .join(", ")}, and check that the registry responds.`,
    }),
  ];
}

/** Plans the catalog annotations of a HostedCluster if its user delegated these annotations to hubrelay. */
export function planDerivedFields(context: Context): PartialPlan {
  const { cluster, findings, key, readAt } = context;
  const { object } = cluster;
  const issues = catalogIssues(context);
  if (!derivesCatalogs(cluster) || findings.state !== "found") return { ...nothing, issues };
  const subject = sentence`${key} derived fields`;
  const [from, to] = [presentCatalogs(object), catalogAnnotations(findings.catalogs)];
  if (isSameJson(from, to)) return { ...settled(subject, "unchanged", "they match the mirrors"), issues };
  const consequence = "the catalogs are restarted with other images";
  const data = { from: { catalogs: from }, to: { catalogs: to }, consequence };
  return {
    ...settled(subject, "update", consequence),
    actions: [
      withOutcome(
        { verb: "update", object: withCatalogs(object, readAt, to), reason: consequence },
        clusterOutcome("changing", context, readAt ?? "", data),
      ),
    ],
    again: true,
    issues,
  };
}
