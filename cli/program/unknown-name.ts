import { nearestName } from "#shared/domain/issues/nearest-name.ts";
import { UsageError } from "./exit-codes.ts";

/** Returns the error for an unknown name. It ends with the known name that was probably meant. */
export function unknownName(problem: string, name: string, known: readonly string[]): UsageError {
  const nearest = nearestName(name, known);
  return new UsageError(nearest === undefined ? problem : `${problem} (Did you mean ${nearest}?)`);
}
