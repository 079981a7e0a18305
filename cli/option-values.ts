import { InvalidArgumentError } from "commander";

/** For an option that may be given several times: all its values in order. */
export function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

/** For an option that takes a whole number within these bounds. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && text.trim() !== "" && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It should be a whole number from ${least} to ${most}.`);
  };
}
