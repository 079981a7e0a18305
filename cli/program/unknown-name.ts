import { nearestName } from "#shared/domain/issues/nearest-name.ts";
import { UsageError } from "./exit-codes.ts";

const withoutDigits = (name: string): string => name.replaceAll(/\d/g, "");

/** Returns the error for an unknown name. It ends with the known name that was probably meant. */
export function unknownName(problem: string, name: string, known: readonly string[]): UsageError {
  // In a fleet, many names differ from edge-0413 in one digit: none of them is more likely.
  const candidates = known.filter((one) => withoutDigits(one) !== withoutDigits(name));
  const nearest = nearestName(name, candidates);
  return new UsageError(nearest === undefined ? problem : `${problem} (Did you mean ${nearest}?)`);
}
