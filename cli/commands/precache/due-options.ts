import { withoutVersion } from "#shared/domain/images/image-reference.ts";
import { namespacedName, type ObjectMeta } from "#shared/domain/kubernetes/object.ts";
import {
  type Due,
  type DueTime,
  dueOf,
  forecastFor,
} from "#shared/domain/precache-progress/forecast/due-time.ts";
import {
  type EndForecast,
  type Forecast,
  type ForecastInput,
  forecast,
} from "#shared/domain/precache-progress/forecast/forecast.ts";
import { type GivenSizes, givenBytes } from "#shared/domain/precache-progress/forecast/given-sizes.ts";
import type { Zone } from "#shared/domain/windows/zone.ts";
import { painted, type SafeText, safe } from "../../io/safe-text.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { ownZones } from "../../program/option-values.ts";

/** The values of `--by`, `--time-zone` and `--size`. The time zone is used if the deadline `by` is a day. */
export type DueOptions = Readonly<{ by?: DueTime; timeZone?: Zone; size?: GivenSizes }>;

/** Throws `UsageError` for a time zone without `--by`, since the time zone would have no effect. */
export function requireDue({ by, timeZone }: DueOptions): void {
  if (timeZone && !by) throw new UsageError("--time-zone needs --by.");
}

/** Returns an upgrade's forecast, for the deadline `by` if it is set. Throws `UsageError` if `size` lacks an image. */
export function forecastWith(input: ForecastInput, { size, ...options }: DueOptions): Forecast {
  const { content, name: cgu } = input.upgrade;
  const bytes = size && givenBytes(size, content);
  if (typeof bytes === "object")
    throw new UsageError(
      `--size has no size of ${bytes.missing}, which ${cgu.namespace}/${cgu.name} pulls. Add --size ${withoutVersion(bytes.missing)}=SIZE.`,
    );
  const sized = bytes === undefined ? input : { ...input, measuredBytesOf: () => bytes };
  const due = dueIn(input, options);
  return due ? forecastFor(sized, due) : forecast(sized);
}

function dueIn(input: ForecastInput, { by, timeZone: asked }: DueOptions): Due | undefined {
  if (!by) return undefined;
  const due = dueOf(by, input, { asked, ...ownZones() });
  if (!("problem" in due)) return due;
  const { namespace, name } = input.upgrade.name;
  const fix = "windows" in by ? "Write a time, a date or a day." : "Add --time-zone.";
  throw new UsageError(`--by cannot be used for ${namespace}/${name}: ${due.problem}. ${fix}`);
}

/** Returns exit code 1 if a cluster is late, otherwise 2 if a forecast or an end is unknown, otherwise 0. */
export function dueExitCode(
  forecasts: readonly (Pick<EndForecast, "late" | "unknown"> | undefined)[],
): number {
  if (forecasts.some((one) => one?.late)) return exitCodes.issues;
  return forecasts.some((one) => !one || one.unknown > 0) ? exitCodes.usage : exitCodes.fine;
}

type Judged = Pick<ObjectMeta, "namespace" | "name"> & Readonly<{ answer: string | undefined }>;

/** Renders a line for each upgrade: whether its clusters are in time for `--by`. */
export function dueLines(upgrades: readonly Judged[]): SafeText {
  const isOne = upgrades.length === 1;
  const lines = upgrades.flatMap(({ answer, ...cgu }) =>
    answer ? [safe`${painted("bold", isOne ? answer : `${namespacedName(cgu)}: ${answer}`)}\n`] : [],
  );
  return isOne || lines.length === 0 ? safe`${lines}` : safe`${lines}\n`;
}
