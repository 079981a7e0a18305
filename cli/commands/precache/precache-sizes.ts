import { manifestHub } from "#shared/adapters/hub/manifest-hub.ts";
import { ociRegistry } from "#shared/adapters/oci/oci-registry.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { mirrorRuleKinds } from "#shared/domain/mirrors/input/rules.ts";
import { type Outage, outageOf } from "#shared/domain/mirrors/pull/outage.ts";
import { siteLabelOf } from "#shared/domain/precache-model/planned-upgrade.ts";
import type { PrecachePlan } from "#shared/domain/precache-model/precache-plan.ts";
import { recordsOf, reportsOf } from "#shared/domain/precache-model/precaching-report.ts";
import { revisionOf } from "#shared/domain/precache-model/precaching-spec.ts";
import { configsOf } from "#shared/domain/precache-model/upgrade-spec.ts";
import { workloadImageOf } from "#shared/domain/precache-model/workload-image.ts";
import type { PlanInput } from "#shared/domain/precache-plan/plan-input.ts";
import { architecturesOf, sizeIssues, sizesOf } from "#shared/domain/precache-plan/sizes/cluster-sizes.ts";
import type { Bandwidths } from "#shared/domain/precache-start/bandwidths.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { measureImages, type SizeReading } from "#shared/registry/image-sizes.ts";
import { withoutUnresponsive } from "#shared/registry/run-limits.ts";
import { onLiveHub, readLiveHub } from "../../io/live-hub.ts";
import { nodeAccess } from "../../io/node-access.ts";
import { UsageError } from "../../program/exit-codes.ts";
import { nodeRules } from "../ready/node-rules.ts";

export type SizesOptions = Readonly<{
  bandwidths: Bandwidths;
  pullSecret: string | undefined;
  without: readonly string[] | undefined;
}>;

type Input = Omit<PlanInput, "lookup">;
/** A plan with its input. `outage` is present if the effect of an outage was requested. */
export type SizedPlan = Readonly<{ plan: PrecachePlan & Readonly<{ outage?: Outage }>; input: Input }>;

/** Plans with their sizes, and issues about credentials and certificate authorities. */
export type SizedPlans = Readonly<{ plans: readonly SizedPlan[]; issues: readonly Issue[] }>;

/** Other kinds also affect how nodes pull images, but not every user may read those. */
const requiredKinds = [...mirrorRuleKinds, kinds.PreCachingReport];

async function sized(
  { plan, input }: SizedPlan,
  objects: readonly KubernetesObject[],
  { without }: SizesOptions,
  reading: SizeReading,
): Promise<SizedPlan["plan"]> {
  const { cgu, managedClusters, preCachingConfigs } = input;
  const annotatedObjects = [cgu, ...configsOf(cgu, preCachingConfigs)];
  const revision = revisionOf({ spec: plan.spec, workloadImage: workloadImageOf(cgu) });
  const measured = new Map(
    await Promise.all(
      architecturesOf({ plan, managedClusters }).map(
        async (architecture) =>
          [architecture, await measureImages(plan.spec, architecture, reading)] as const,
      ),
    ),
  );
  const found = sizesOf({
    plan,
    managedClusters,
    siteLabel: siteLabelOf(annotatedObjects),
    records: recordsOf(reportsOf(cgu, objects), revision),
    measured,
  });
  const images = new Map([...measured.values()].flatMap((one) => one.images.map((own) => [own.image, own])));
  return {
    ...plan,
    ...(without ? { outage: outageOf(without, [...images.values()]) } : {}),
    issues: [...plan.issues, ...sizeIssues(cgu, plan.spec, found)],
    sizes: found,
  };
}

function checkSites({ bySite }: Bandwidths, plans: readonly SizedPlan[]): void {
  const sites = new Set(plans.flatMap(({ plan: { sizes } }) => sizes?.sites.map(({ site }) => site) ?? []));
  for (const site of bySite.keys())
    if (!sites.has(site))
      throw new UsageError(
        `--bandwidth ${site}=…: no planned cluster belongs to this site. The annotation hubrelay.dev/site-label names the label.`,
      );
}

/** Adds sizes to plans, from registries. `objects` are the objects of `-f`; if undefined, the live hub is read. */
export async function withSizes(
  plans: readonly SizedPlan[],
  objects: readonly KubernetesObject[] | undefined,
  options: SizesOptions,
): Promise<SizedPlans> {
  const { bandwidths, pullSecret, without } = options;
  const context = objects ?? (await readLiveHub(requiredKinds, [kinds.Image, kinds.ClusterVersion])).objects;
  const rules = nodeRules(context, without ? { without } : {});
  const [group] = "refusal" in rules ? [] : rules.groups;
  const refused = { problem: "the mirror objects are refused, so that the rules of nodes are not known" };
  const accessOf = (hub: HubReader) => nodeAccess(hub, undefined, pullSecret);
  const { access, issues } = await (objects
    ? accessOf(manifestHub("manifests", objects))
    : onLiveHub(accessOf));
  const registry = ociRegistry({ environment: process.env });
  try {
    const reading = {
      registry: withoutUnresponsive(registry),
      access,
      routeOf: group?.routeOf ?? (() => refused),
    };
    const complete: SizedPlan[] = [];
    for (const one of plans) complete.push({ ...one, plan: await sized(one, context, options, reading) });
    checkSites(bandwidths, complete);
    return { plans: complete, issues };
  } finally {
    registry.close();
  }
}
