import type { CostReport } from "#shared/domain/diff/compare-sides.ts";
import { issueObject } from "#shared/domain/issues/issue.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import { painted, type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, tableWithHeadings } from "../../io/table.ts";
import { costTable } from "../mirrors/cost-table.ts";
import type { ImportChange, ImportedObject } from "./compare.ts";
import { type Wave, waveOf, waves } from "./waves.ts";

type ImportReport = Readonly<{
  objects: readonly Readonly<{
    kind: string;
    namespace?: string;
    name: string;
    change: ImportChange;
    /** The step in which the object is applied; null for a stale object, which is not applied. */
    wave: Wave | null;
  }>[];
  cost: CostReport;
}>;

/** Returns the report of compared objects and their cost. */
export function reportOf(compared: readonly ImportedObject[], cost: CostReport): ImportReport {
  return {
    objects: compared.map(({ object, change }) => ({
      ...issueObject(object),
      change,
      wave: change === "stale" ? null : (waves[waveOf(object) ?? waves.length]?.name ?? null),
    })),
    cost,
  };
}

const colours = { new: "green", changed: "yellow", unchanged: "dim", stale: "red" } as const;

const stepOf = (wave: Wave | null): string =>
  wave === null ? "-" : String(waves.findIndex(({ name }) => name === wave) + 1);

/** Renders the objects, and for each pool the cost of applying them. */
export function importTable({ objects, cost }: ImportReport): SafeText {
  const rowOf = (one: ImportReport["objects"][number]): readonly Cell[] => [
    stepOf(one.wave),
    painted(colours[one.change], one.change),
    displayName(one),
  ];
  const waiting = waves.findIndex(({ name }) => name === "wait");
  const isBefore = ({ wave }: ImportReport["objects"][number]) =>
    wave !== null && waves.findIndex(({ name }) => name === wave) < waiting;
  const wait: readonly Cell[] = [
    String(waiting + 1),
    "",
    cost.cost === "none" ? "nothing to wait for: no node changes" : "wait until every pool is updated",
  ];
  const rows = [
    ...objects.filter(isBefore).map(rowOf),
    wait,
    ...objects.filter((one) => !isBefore(one)).map(rowOf),
  ];
  return safe`${tableWithHeadings(["STEP", "CHANGE", "OBJECT"], rows)}\n${costTable(cost)}`;
}
