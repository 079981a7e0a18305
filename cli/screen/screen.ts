import type { Issue } from "#shared/domain/issues/issue.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import type { CheckedFleet } from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import { counted, withRelativeTimes } from "#shared/domain/text/human-readable.ts";
import { placeText } from "../io/issue-text.ts";
import type { ScreenSize } from "../io/live-screen.ts";
import { joined, painted, type SafeText, safe, severityColours } from "../io/safe-text.ts";
import { brokenAt } from "../io/table.ts";
import { fitting, fleetLines } from "./fleet-lines.ts";

/** A change that the screen shows, such as changed mirrors, a fixed error or an opened window. */
export type Change = Readonly<{
  at: Date;
  /** The file or object of the change. Empty if none is known. */
  what: string;
  colour: "green" | "yellow" | "red" | "magenta" | "cyan";
  /** What happened, such as `held` or `fixed`. */
  verdict: string;
  reason: string;
  details: readonly string[];
}>;

/** What the screen of `hubrelay dev` shows. */
export type ScreenState = Readonly<{
  now: Date;
  /** The watched folder, such as `hub, a copy of examples/fleet`. */
  watched: string;
  /** The words of a shell command with which a user calls hubrelay for this hub. */
  command: string;
  activity: string;
  hints: readonly string[];
  fleets: readonly CheckedFleet[];
  /** Errors and warnings. The most urgent are first. */
  problems: readonly Issue[];
  /** The latest changes. The oldest is first. */
  changes: readonly Change[];
}>;

const clock = (time: Date) => painted("dim", `${time.toISOString().slice(11, 19)}Z`);
const maxDetails = 4;

const block = (heading: readonly SafeText[], lines: readonly SafeText[]): readonly SafeText[] => [
  joined(
    heading.filter(({ width }) => width > 0),
    safe`  `,
  ),
  ...lines.map((line) => safe`    ${line}`),
];

const broken = (text: string, columns: number, maxLines: number): readonly SafeText[] =>
  text === "" ? [] : brokenAt(safe`${text}`, columns - 4).slice(0, maxLines);

function changeLines(change: Change, columns: number, now: Date): readonly SafeText[] {
  const { at, what, colour, verdict, reason, details } = change;
  const more = details.length > maxDetails ? details.length - maxDetails + 1 : 0;
  return block(
    [clock(at), safe`${what}`, painted(colour, verdict)],
    [
      ...broken(withRelativeTimes(reason, now), columns, 4),
      ...details.slice(0, details.length - more).map((text) => safe`${text}`),
      ...(more > 0 ? [painted("dim", `and ${more} more`)] : []),
    ],
  );
}

function problemLines({ severity, message, remedy, ...issue }: Issue, columns: number): readonly SafeText[] {
  const place = placeText({ severity, message, remedy, ...issue }).replace(/: $/, "");
  const where = [displayName(issue.object), issue.path].filter(Boolean).join(" ");
  return block(
    [painted(severityColours[severity], severity), safe`${place}`, safe`${where}`],
    [safe`${message}`, ...broken(`Fix: ${remedy}`, columns, 3)],
  );
}

const shownBy = (command: string, name: string): string => `: ${command} ${name} shows them`;

function problemsIn(rows: number, { problems, command }: ScreenState, columns: number): readonly SafeText[] {
  const blocks = problems.map((problem) => problemLines(problem, columns));
  return fitting(blocks, rows, (shown) => {
    const counts = Map.groupBy(problems.slice(shown), ({ severity }) => severity);
    const texts = [...counts].map(([severity, { length }]) => counted(length, `more ${severity}`));
    return `${texts.join(", ")}${shownBy(command, "validate")}`;
  });
}

function newestChanges(state: ScreenState, columns: number, rows: number): readonly SafeText[] {
  const shown: SafeText[] = [];
  for (const change of state.changes.toReversed())
    if (shown.length < rows)
      shown.unshift(...changeLines(change, columns, state.now).slice(0, rows - shown.length));
  return shown;
}

const minFleetRows = 7;

const withGap = (lines: readonly SafeText[]): readonly SafeText[] =>
  lines.length > 0 ? [safe``, ...lines] : [];

function fleetsIn(rows: number, { fleets, now, command }: ScreenState, columns: number): readonly SafeText[] {
  const sorted = fleets.toSorted((a, b) => Number(a.ended === a.total) - Number(b.ended === b.total));
  const shown = sorted.slice(0, Math.max(1, Math.floor(rows / minFleetRows)));
  const size = { columns, rows: Math.floor((rows - 1) / shown.length) - 1 };
  const hidden = fleets.length - shown.length;
  return [
    ...shown.flatMap((one) => withGap(fleetLines(one, size, now))),
    ...(hidden > 0 ? [painted("dim", `${hidden} more upgrades${shownBy(command, "precache status")}`)] : []),
  ];
}

/** Returns the lines of the screen. They are fewer than `rows`, since the cursor needs a row. */
export function screenLines(state: ScreenState, { columns, rows }: ScreenSize): readonly SafeText[] {
  const { now, watched, activity, hints } = state;
  const space = Math.max(1, rows - 1);
  const status = safe`${painted("bold", "hubrelay")}  ${clock(now)}  ${watched}  ${painted("cyan", activity)}`;
  const foot = withGap(hints.map((hint) => painted("dim", hint)));
  const reported = withGap(problemsIn(space / 5, state, columns));
  const left = space - 1 - foot.length - reported.length;
  const wanted = newestChanges(state, columns, left).length + 1;
  const forFleets = Math.max(left - wanted, Math.ceil((left * 3) / 5), Math.min(left, minFleetRows + 2));
  const fleets = fleetsIn(forFleets, state, columns);
  const changes = withGap(newestChanges(state, columns, left - fleets.length - 1));
  return [status, ...reported, ...fleets, ...changes, ...foot]
    .slice(0, space)
    .map((line) => line.cut(columns));
}
