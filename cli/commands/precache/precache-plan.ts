import { planningSettings } from "#shared/adapters/settings/planning-settings.ts";
import { updateGraphIn } from "#shared/adapters/update-graph/open-update-graph.ts";
import {
  type Coverage,
  coverageIssues,
  coverageOf,
  coverageOfAll,
  type Unread,
} from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { planCoverage } from "#shared/domain/precache-plan/plan-coverage.ts";
import { type Bandwidths, noBandwidths } from "#shared/domain/precache-start/bandwidths.ts";
import { isSelected } from "../../io/is-selected.ts";
import { printIssues } from "../../io/issue-text.ts";
import {
  coverageText,
  listedBySide,
  type OfSide,
  ofSide,
  reportClusters,
} from "../../io/report/side-lists.ts";
import { print, type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { requireUpdateGraph } from "../../io/update-graph-file.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import type { SelectionOptions } from "../../program/object-selection.ts";
import { type DueOptions, dueExitCode, requireDue } from "./due-options.ts";
import { type ForecastPlan, readForecastObjects, withForecasts } from "./plan-forecast.ts";
import { type HubPlans, plansOf, readInputs, unreadBeside } from "./plan-inputs.ts";
import { planTable } from "./plan-table.ts";
import type { SizedPlan, SizedPlans, SizesOptions } from "./precache-sizes.ts";
import { namedUpgrades } from "./upgrade-requests.ts";

export type PrecachePlanOptions = Readonly<{
  /** Paths of `-f`; absent for the live hub. */
  filename?: readonly string[];
  output: "table" | StructuredFormat;
  updateGraph?: string;
  hubVersion?: string;
  sizes?: true;
  bandwidth?: Bandwidths;
  pullSecret?: string;
  without?: readonly string[];
  /** True to list every cluster in the table, however many there are. */
  clusters?: boolean;
  requireCoverage?: true;
}> &
  DueOptions &
  SelectionOptions;

type CoveredPlan = ForecastPlan & OfSide & Readonly<{ coverage: Coverage }>;

const coverageOfPlans = (plans: readonly CoveredPlan[], unread: readonly Unread[]): Coverage =>
  coverageOfAll([
    ...plans.map(({ coverage }) => coverage),
    ...(plans.length > 0 ? [] : [coverageOf({ read: [], unread, assumed: [] })]),
  ]);

function shownPlans(
  plans: readonly CoveredPlan[],
  unread: readonly Unread[],
  { output, clusters = false }: Pick<PrecachePlanOptions, "output" | "clusters">,
): SafeText {
  return rendered(
    plans,
    output,
    (clean) =>
      safe`${listedBySide(clean, (some) => planTable(some, clusters))}${coverageText(coverageOfPlans(clean, unread))}`,
  );
}

function exitCodeOf(plans: readonly ForecastPlan[]): number {
  const going = plans.filter(({ clusters }) => clusters.some(({ action }) => action !== "leave out"));
  return dueExitCode(going.map(({ forecast }) => forecast));
}

async function addSizes(
  asked: readonly SizedPlan[],
  objects: readonly KubernetesObject[] | undefined,
  options: SizesOptions,
): Promise<SizedPlans> {
  const { withSizes } = await import("./precache-sizes.ts");
  return withSizes(asked, objects, options);
}

/** Runs `hubrelay precache plan`: prints the plans of all or the named ClusterGroupUpgrades. Returns the exit code. */
export async function precachePlan(names: readonly string[], options: PrecachePlanOptions): Promise<number> {
  const choices = await inEnvironment(async () => planningSettings(process.env));
  const { filename } = options;
  const { profile, indexRepositories } = choices;
  const how = { profile, indexRepositories, checksGraph: true };
  const updateGraph = options.updateGraph || updateGraphIn(...(filename ?? []));
  const { hubVersion = choices.hubVersion } = options;
  const { sizes, bandwidth: bandwidths = noBandwidths, pullSecret, without, by } = options;
  if (!sizes && !by && options.size === undefined && options.bandwidth)
    throw new UsageError("--bandwidth needs --sizes, --size or --by.");
  if (!sizes && pullSecret !== undefined) throw new UsageError("--pull-secret needs --sizes.");
  if (!sizes && without) throw new UsageError("--without needs --sizes.");
  if (sizes && options.size !== undefined) throw new UsageError("--size and --sizes exclude each other.");
  requireDue(options);
  if (updateGraph !== undefined) await requireUpdateGraph(updateGraph);
  const hubs = await readInputs(filename);
  reportClusters(hubs);
  const made: HubPlans[] = [];
  for (const hub of hubs) made.push(await plansOf(hub, { how, hubVersion, updateGraph }));
  const selected = made.flatMap(({ plans: own }) =>
    own.filter(({ input }) => isSelected(input.cgu, options)),
  );
  const asked = new Set(namedUpgrades(selected, names, ({ input }) => input.cgu));
  const shown: CoveredPlan[] = [];
  const issues: Issue[] = [];
  const notRead: Unread[] = [];
  for (const { hub, plans: all } of made) {
    const planned = all.filter((one) => asked.has(one));
    const { plans: sized, issues: sizeIssues } = sizes
      ? await addSizes(planned, hub.objects, { bandwidths, pullSecret, without })
      : { plans: planned, issues: [] };
    const read = hub.objects ?? (await readForecastObjects());
    const found: readonly ForecastPlan[] = read
      ? withForecasts(sized, read, { due: options, bandwidth: options.bandwidth })
      : sized.map(({ plan }) => plan);
    const unread = unreadBeside(hub, sizeIssues);
    notRead.push(...unread);
    const covered = found.map((plan, index) => ({
      ...plan,
      coverage: planCoverage(plan, planned[index]?.input, unread),
    }));
    shown.push(...ofSide(hub, covered));
    issues.push(...hub.place([...hub.issues, ...sizeIssues, ...found.flatMap((plan) => plan.issues)]));
  }
  print(shownPlans(shown, notRead, options));
  const notCovered = options.requireCoverage ? coverageIssues(coverageOfPlans(shown, notRead)) : [];
  const code = printIssues([...issues, ...notCovered]);
  return code === exitCodes.fine && by ? exitCodeOf(shown) : code;
}
