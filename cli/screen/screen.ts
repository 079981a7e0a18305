import type { FleetStatus } from "#shared/domain/precache/fleet/fleet-status.ts";
import type { CheckedFleet } from "#shared/domain/ready/record/fleet-readiness.ts";
import { withRelativeTimes } from "#shared/domain/text/human-readable.ts";
import { severityColours } from "../io/issue-subject.ts";
import type { ScreenSize, ScreenView } from "../io/live-screen.ts";
import { painted, type SafeText, safe } from "../io/safe-text.ts";
import { brokenAt } from "../io/table.ts";
import { fleetLines } from "./fleet-lines.ts";

/** One thing that has changed on the hub: a change of mirrors, an error that is gone, a window that has opened. */
export type Change = Readonly<{
  at: Date;
  /** The file or object that was changed; empty when time alone has changed something. */
  what: string;
  colour: "green" | "yellow" | "red" | "magenta" | "cyan";
  /** `held, costs drain`, `fixed`. */
  verdict: string;
  /** Why; may be empty. */
  reason: string;
  /** The changed lines. */
  details: readonly string[];
}>;

/** An error or warning that holds now. */
export type Problem = Readonly<{
  severity: "error" | "warning";
  /** `file:line:column`; empty where it is not known. */
  place: string;
  /** The object and its field. */
  where: string;
  message: string;
  remedy: string;
  /** What it means for what is in use; may be empty. */
  consequence: string;
}>;

/** Everything that the screen of `hubrelay dev` shows. */
export type ScreenState = Readonly<{
  now: Date;
  /** What is watched, for instance `hub, a copy of examples/fleet`. */
  watched: string;
  /** What is running now. */
  activity: string;
  /** What a person can do now, a line each. */
  hints: readonly string[];
  fleets: readonly CheckedFleet[];
  problems: readonly Problem[];
  /** The oldest first. */
  changes: readonly Change[];
  view?: ScreenView;
}>;

const clock = (time: Date) => `${time.toISOString().slice(11, 19)}Z`;
const indent = "    ";
const maxDetails = 4;
const maxReasonLines = 4;

/** Returns one short block: time, file and verdict, below them why, and the changed lines. */
function changeLines(change: Change, columns: number, now: Date): readonly SafeText[] {
  const { at, what, colour, verdict, reason, details } = change;
  const width = columns - indent.length;
  const more = details.length > maxDetails ? details.length - maxDetails + 1 : 0;
  const why =
    reason === "" ? [] : brokenAt(safe`${withRelativeTimes(reason, now)}`, width).slice(0, maxReasonLines);
  return [
    safe`${painted("dim", clock(at))}  ${what}${what ? "  " : ""}${painted(colour, verdict)}`,
    ...why.map((text) => safe`${indent}${text}`),
    ...details.slice(0, details.length - more).map((text) => safe`${indent}${text}`),
    ...(more > 0 ? [painted("dim", `${indent}and ${more} more`)] : []),
  ];
}

/** Lines of a fix: one that is cut in the middle of a sentence is none. */
const maxFixLines = 3;

function problemLines(
  { severity, place, where, message, remedy, consequence }: Problem,
  columns: number,
): readonly SafeText[] {
  const fix = brokenAt(safe`Fix: ${remedy}`, columns - indent.length).slice(0, maxFixLines);
  const label = painted(severityColours[severity], severity);
  return [
    safe`${label}  ${place}${place ? "  " : ""}${where}${consequence ? painted("dim", `  ${consequence}`) : ""}`,
    safe`${indent}${message}`,
    ...fix.map((line) => safe`${indent}${line}`),
  ];
}

/** Returns the problems that fit; the others are counted. */
function problemsIn(rows: number, problems: readonly Problem[], columns: number): readonly SafeText[] {
  const shown: SafeText[] = [];
  let fitting = 0;
  for (const problem of problems) {
    const lines = problemLines(problem, columns);
    if (fitting > 0 && shown.length + lines.length > rows - 1) break;
    shown.push(...lines);
    fitting++;
  }
  const rest = problems.slice(fitting);
  const counted = (["error", "warning"] as const).flatMap((severity) => {
    const count = rest.filter((problem) => problem.severity === severity).length;
    return count > 0 ? [`${count} more ${severity}${count > 1 ? "s" : ""}`] : [];
  });
  return [
    ...shown,
    ...(counted.length > 0 ? [painted("dim", `${counted.join(", ")}: hubrelay validate shows them`)] : []),
  ];
}

/** Returns the newest blocks, oldest first, in at most this many lines: the oldest that is shown may lose details. */
function newestChanges(
  changes: readonly Change[],
  { columns, rows }: ScreenSize,
  now: Date,
): readonly SafeText[] {
  const shown: SafeText[] = [];
  for (const change of changes.toReversed()) {
    if (shown.length >= rows) break;
    shown.unshift(...changeLines(change, columns, now).slice(0, rows - shown.length));
  }
  return shown;
}

const keys = "q ends, f shows only clusters that failed, ? hides this line.";

/** A fleet in fewer lines says too little. */
const minFleetRows = 7;

/** Returns the fleets that have room, those that are under way first. */
function fleetsInView(fleets: readonly CheckedFleet[], max: number): readonly CheckedFleet[] {
  const isOver = ({ ended, total }: FleetStatus) => Number(ended === total);
  return fleets.toSorted((a, b) => isOver(a) - isOver(b)).slice(0, max);
}

const withGap = (lines: readonly SafeText[]): readonly SafeText[] =>
  lines.length > 0 ? [safe``, ...lines] : [];

/**
 * Returns the lines of the screen: never more than fit, one row left for the cursor. Errors come first, then the
 * fleets, which get three fifths of the rest while there are changes to show; the newest changes are at the bottom.
 */
export function screenLines(state: ScreenState, { columns, rows }: ScreenSize): readonly SafeText[] {
  const { now, watched, activity, fleets, problems, changes, view } = state;
  const hints = view?.isHelp ? [keys] : state.hints;
  const space = Math.max(1, rows - 1);
  const status = [
    safe`${painted("bold", "hubrelay")}  ${painted("dim", clock(now))}  ${watched}  ${painted("cyan", activity)}`,
  ];
  const foot = withGap(hints.map((hint) => painted("dim", hint)));
  const reported = withGap(problemsIn(space / 5, problems, columns));
  const left = space - status.length - foot.length - reported.length;
  const wanted = newestChanges(changes, { columns, rows: left }, now).length + 1;
  const forFleets = Math.max(left - wanted, Math.ceil((left * 3) / 5), Math.min(left, minFleetRows + 2));
  const inView = fleetsInView(fleets, Math.max(1, Math.floor(forFleets / minFleetRows)));
  const each = inView.length > 0 ? Math.floor((forFleets - 1) / inView.length) - 1 : 0;
  const shownFleets = inView.flatMap((fleet) =>
    withGap(fleetLines(fleet, { columns, rows: each, isFailedOnly: view?.isFailedOnly === true }, now)),
  );
  const hidden = fleets.length - inView.length;
  if (hidden > 0)
    shownFleets.push(painted("dim", `${hidden} more upgrades: hubrelay precache status shows them`));
  const forChanges = left - shownFleets.length - 1;
  const shownChanges = withGap(newestChanges(changes, { columns, rows: forChanges }, now));
  return [...status, ...reported, ...shownFleets, ...shownChanges, ...foot]
    .slice(0, space)
    .map((line) => line.cut(columns));
}
