import { hash } from "node:crypto";
import type {
  HostedCluster,
  ImageContentSource,
} from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import {
  contentSourcesAnnotation,
  deriveContentSources,
  sourceDifferences,
} from "#shared/domain/hosted-clusters/content-sources.ts";
import { type RolloutCost, rolloutCost } from "#shared/domain/hosted-clusters/nodes/rollout-cost.ts";
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
import { annotationIssue, type Issue, maxListed } from "#shared/domain/issues/issue.ts";
import { fieldsOf, isSameJson, ownValue } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { parseRelease } from "#shared/domain/openshift/releases/release.ts";
import { maxCostOf } from "#shared/domain/plan/cost.ts";
import { withOutcome } from "#shared/domain/plan/kept-outcomes.ts";
import { mergePlans, nothing, type PartialPlan, settled } from "#shared/domain/plan/partial-plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { costWindowText } from "#shared/domain/windows/cost-window.ts";
import {
  type Permission,
  permissionFor,
  planHeldChange,
  writtenCircumstances,
} from "#shared/domain/windows/held-change.ts";
import { namedWindowIssues } from "#shared/domain/windows/validate-windows.ts";
import { derivesCatalogs } from "../snapshot/find-catalogs.ts";
import { repositoriesIn } from "../snapshot/find-payload.ts";
import { type Context, clusterOutcome } from "./cluster-plan.ts";

/** A change of `spec.imageContentSources`, which rolls out every NodePool of the hosted cluster. */
export type ContentSourcesChange = Readonly<{
  from: readonly ImageContentSource[];
  to: readonly ImageContentSource[];
  rollout: RolloutCost;
  permission: Permission;
}>;

/** Returns what the change to these sources costs, and whether it may be written now. */
export function contentSourcesChange(
  context: Context,
  to: readonly ImageContentSource[],
): ContentSourcesChange {
  const { cluster, nodePools } = context;
  const rollout = rolloutCost(cluster, nodePools);
  const permission = permissionFor(cluster.object, rollout.cost, context);
  return { from: cluster.imageContentSources, to, rollout, permission };
}

const limitedChange = ({ cluster }: Context, { cost, rule }: RolloutCost) => ({
  object: cluster.object,
  cost,
  rule,
});

function costData({ nodePools, ...rollout }: RolloutCost) {
  return { ...rollout, nodePools: nodePools.slice(0, maxListed) };
}

/** Returns the effect on nodes as a sentence, with the window that lets the change through. */
export function rolloutText({ rollout, permission: { window } }: ContentSourcesChange): string {
  return `${rollout.rule.text}${window ? sentence` In the maintenance window ${costWindowText(window)}.` : ""}`;
}

/** Returns what the outcome of a written change says about its cost. */
export function writtenData(
  context: Context,
  { rollout, permission }: ContentSourcesChange,
): Readonly<Record<string, unknown>> {
  const circumstances = writtenCircumstances(limitedChange(context, rollout), permission);
  return { cost: costData(rollout), conditions: [], ...circumstances };
}

/** Plans for a change that must not be written now: the nodes keep the present sources. */
export function planHeldSources(context: Context, change: ContentSourcesChange): PartialPlan {
  const { from, to, rollout, permission } = change;
  return planHeldChange(limitedChange(context, rollout), permission, {
    subject: sentence`${context.key} ImageContentSources`,
    differences: sourceDifferences(from, to),
    outcomeOf: (circumstances) =>
      clusterOutcome("held", context, hash("sha256", JSON.stringify([from, to])), {
        from: { contentSources: from },
        to: { contentSources: to },
        cost: costData(rollout),
        ...circumstances,
      }),
  });
}

/** The fields of a HostedCluster that a user delegated to hubrelay, present or desired. */
type Derived = Readonly<{
  /** Undefined if they are not hubrelay's or stay unchanged. */
  catalogs?: CatalogAnnotations | undefined;
  contentSources?: unknown;
}>;

function presentCatalogs({ metadata }: KubernetesObject): CatalogAnnotations {
  const { annotations = {} } = metadata;
  return Object.fromEntries(
    catalogAnnotationNames.flatMap((name) => {
      const value = ownValue(annotations, name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function presentContentSources({ spec }: KubernetesObject): unknown {
  return fieldsOf(spec).imageContentSources ?? [];
}

function withDerived(
  object: KubernetesObject,
  readAt: string | undefined,
  { catalogs, contentSources }: Derived,
): KubernetesObject {
  const { annotations = {} } = object.metadata;
  const others = Object.entries(annotations).filter(
    ([name]) => catalogs === undefined || !catalogAnnotationNames.includes(name),
  );
  return {
    ...object,
    metadata: {
      ...object.metadata,
      ...(readAt ? { resourceVersion: readAt } : {}),
      annotations: Object.fromEntries([...others, ...Object.entries(catalogs ?? {})]),
    },
    spec: {
      ...fieldsOf(object.spec),
      ...(contentSources === undefined ? {} : { imageContentSources: contentSources }),
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

/** Returns true if a user delegated a field of the hosted cluster to hubrelay. */
function hasDerivedFields(cluster: HostedCluster): boolean {
  return derivesCatalogs(cluster) || cluster.annotations[contentSourcesAnnotation] !== undefined;
}

function consequenceOf({ catalogs }: Derived, sources: ContentSourcesChange | undefined): string {
  return [
    ...(catalogs === undefined ? [] : ["the catalogs are restarted with other images"]),
    ...(sources === undefined ? [] : [rolloutText(sources)]),
  ].join(". ");
}

/** Returns the issues about annotations that say when the nodes' mirrors may change. */
function limitIssues({ cluster: { annotations, object }, windows }: Context): readonly Issue[] {
  if (annotations[contentSourcesAnnotation] === undefined) return [];
  return [...maxCostOf(object).issues, ...namedWindowIssues(object, windows)];
}

/** Plans one write of the fields that differ from the wanted ones; `sources` is the change of the nodes' mirrors. */
function planWrite(
  context: Context,
  wanted: Derived,
  sources: ContentSourcesChange | undefined,
): PartialPlan {
  const { cluster, key, readAt } = context;
  const { object } = cluster;
  const subject = sentence`${key} derived fields`;
  const present: Derived = {
    ...(wanted.catalogs === undefined ? {} : { catalogs: presentCatalogs(object) }),
    ...(wanted.contentSources === undefined ? {} : { contentSources: presentContentSources(object) }),
  };
  const changed: Derived = {
    ...(isSameJson(wanted.catalogs ?? null, present.catalogs ?? null) ? {} : { catalogs: wanted.catalogs }),
    ...(sources === undefined ? {} : { contentSources: wanted.contentSources }),
  };
  if (Object.keys(changed).length === 0) return settled(subject, "unchanged", "they match the mirrors");
  const consequence = consequenceOf(changed, sources);
  const costs = sources === undefined ? {} : writtenData(context, sources);
  return {
    ...settled(subject, "update", consequence),
    actions: [
      withOutcome(
        { verb: "update", object: withDerived(object, readAt, changed), reason: consequence },
        clusterOutcome("changing", context, readAt ?? "", {
          from: present,
          to: wanted,
          consequence,
          ...costs,
        }),
      ),
    ],
    again: true,
  };
}

/**
 * Plans the fields of the HostedCluster that a user delegated to hubrelay: the catalog annotations and
 * `spec.imageContentSources`, derived from the mirrors of the management cluster. One write changes all of them, without
 * the nodes' mirrors while their change is held.
 */
export function planDerivedFields(context: Context): PartialPlan {
  const { cluster, findings, mirrors } = context;
  const derived = deriveContentSources(cluster, mirrors, repositoriesIn(context.payload));
  const issues = [...catalogIssues(context), ...derived.issues, ...limitIssues(context)];
  const wanted: Derived = {
    ...(derivesCatalogs(cluster) && findings.state === "found"
      ? { catalogs: catalogAnnotations(findings.catalogs) }
      : {}),
    ...(derived.sources === undefined ? {} : { contentSources: derived.sources }),
  };
  if (!hasDerivedFields(cluster) || Object.keys(wanted).length === 0) return { ...nothing, issues };
  const present = presentContentSources(cluster.object);
  const isChanged = derived.sources !== undefined && !isSameJson(derived.sources, present);
  const sources = isChanged ? contentSourcesChange(context, derived.sources) : undefined;
  if (!sources?.permission.isHeld) return { ...planWrite(context, wanted, sources), issues };
  const held = planHeldSources(context, sources);
  const others =
    wanted.catalogs === undefined
      ? nothing
      : planWrite(context, { catalogs: wanted.catalogs, contentSources: present }, undefined);
  return { ...mergePlans(held, others), issues };
}
