import { nearestName } from "#shared/domain/issues/nearest-name.ts";
import { UsageError } from "./exit-codes.ts";

/** Returns the error for an unknown name. The message suggests the most similar known name, if any. */
export function unknownName(problem: string, name: string, known: readonly string[]): UsageError {
  const nearest = nearestName(name, known);
  return new UsageError(nearest === undefined ? problem : `${problem} (Did you mean ${nearest}?)`);
}
