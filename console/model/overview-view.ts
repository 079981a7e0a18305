import { type Coverage, coverageOfAll } from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { displayName, kinds } from "#shared/domain/kubernetes/object.ts";
import {
  conditionTypes,
  storedCondition,
  storedConditions,
} from "#shared/domain/precache-model/conditions.ts";
import { isOver } from "#shared/domain/precache-plan/plan-all.ts";
import type { Verification } from "#shared/runtime/verify.ts";
import {
  coverageOfFleets,
  type FleetSummary,
  fleetsByUrgency,
  type SiteReason,
  siteReasonOf,
  sitesOfFleets,
  summaryOf,
} from "./fleet-summaries.ts";
import { coverageOfHosted, hostedClustersFunction } from "./hosted-view.ts";
import { coverageOfMirrors } from "./mirrors/mirrors-view.ts";
import { address, type Snapshot } from "./snapshot.ts";

/** An error of an object. */
export type Problem = Readonly<{ object: string; path: string; code: string }> &
  Pick<Issue, "message" | "remedy">;

/** An object that differs from its desired state. `reason` says why the desired state is not written. */
export type Difference = Readonly<{
  subject: string;
  owner: string;
  verdict: string;
  reason: string;
  differences: number;
  page: string;
}>;

export type OverviewView = Readonly<{
  unread: readonly string[];
  problems: readonly Problem[];
  differences: readonly Difference[];
  failures: readonly Readonly<{ upgrade: string; reasons: readonly SiteReason[] }>[];
  fleets: readonly FleetSummary[];
  coverage: Coverage;
}>;

function problemOf({ object, path, code, message, remedy }: Issue): Problem {
  return { object: displayName(object), path, code, message, remedy };
}

const upgradeConditions = [conditionTypes.precacheSpecValid, conditionTypes.imagesReady];

/** Conditions of unfinished upgrades report problems that the console cannot find itself. */
function upgradeProblems({ list }: Snapshot): readonly Problem[] {
  const unfinished = list(kinds.ClusterGroupUpgrade).filter((cgu) => !isOver(cgu));
  return unfinished.flatMap((cgu) => {
    const conditions = storedConditions(cgu.status);
    const object = displayName({ kind: cgu.kind, ...cgu.metadata });
    return upgradeConditions.flatMap((type): Problem[] => {
      const { status, reason, message } = storedCondition(conditions, type) ?? { status: "True" };
      if (status === "True" || reason === "ImagesBeingChecked") return [];
      return [
        {
          object,
          path: `status.conditions[${type}]`,
          code: String(reason),
          message: String(message),
          remedy: "",
        },
      ];
    });
  });
}

function problemsOf(snapshot: Snapshot): readonly Problem[] {
  const issues = snapshot.verifications.flatMap((one) => one.issues);
  const errors = issues.filter(({ severity }) => severity === "error").map(problemOf);
  const all = [...errors, ...upgradeProblems(snapshot)];
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

function pageOf({ function: name, key }: Verification): string {
  return name === hostedClustersFunction ? address("/hosted", { cluster: key }) : "/mirrors";
}

/** Returns the content of the overview: everything that needs a person now, and the fleets. */
export function overviewView(snapshot: Snapshot): OverviewView {
  const all = fleetsByUrgency(snapshot).map((fleet) => ({ fleet, summary: summaryOf(fleet.status) }));
  const sitesOf = sitesOfFleets(snapshot);
  const { verifications, list } = snapshot;
  return {
    unread: snapshot.unread,
    problems: problemsOf(snapshot),
    differences: verifications.flatMap((one) =>
      one.decisions.flatMap(({ subject, owner = "hubrelay", verdict, reason, differences = [] }) =>
        differences.length > 0
          ? [{ subject, owner, verdict, reason, differences: differences.length, page: pageOf(one) }]
          : [],
      ),
    ),
    failures: all.flatMap(({ fleet, summary: { key, reasons } }) => {
      const failed = reasons.filter(({ group }) => group === "failed" || group === "offline");
      const places = sitesOf(fleet);
      const { clusters } = fleet.status;
      return failed.length > 0
        ? [{ upgrade: key, reasons: failed.map((one) => siteReasonOf(one, clusters, places)) }]
        : [];
    }),
    fleets: all.map(({ summary }) => summary),
    coverage: coverageOfAll([
      coverageOfMirrors(
        snapshot,
        verifications.flatMap((one) => one.issues),
        "pools master and worker",
      ),
      coverageOfHosted(list(kinds.HostedCluster)),
      coverageOfFleets(all.map(({ fleet }) => fleet)),
    ]),
  };
}
