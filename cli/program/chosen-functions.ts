import { UsageError } from "./usage-error.ts";

/** Returns the functions that `--function` names, all of them without it. Throws `UsageError` for an unknown name. */
export function chosenFunctions<Item extends Readonly<{ name: string }>>(
  all: readonly Item[],
  names: readonly string[] = [],
): readonly Item[] {
  const unknown = names.find((name) => !all.some((known) => known.name === name));
  if (unknown !== undefined)
    throw new UsageError(
      `no such function: ${unknown}; known functions: ${all.map(({ name }) => name).join(", ")}.`,
    );
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}
