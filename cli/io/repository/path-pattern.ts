/** Reports whether `*` in a pattern, which stands for any characters, makes it match one step of a path. */
function matchesStep(pattern: string, step: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return pattern === step;
  if (!step.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = step.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return step.length - last.length >= at && step.endsWith(last);
}

function matchesSteps(pattern: readonly string[], path: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  // A folder's pattern stands for everything below it.
  if (first === undefined) return true;
  if (first === "**") return path.some((_, index) => matchesSteps(rest, path.slice(index)));
  const [step, ...below] = path;
  return step !== undefined && matchesStep(first, step) && matchesSteps(rest, below);
}

const stepsOf = (path: string): readonly string[] =>
  path.split("/").filter((step) => step !== "" && step !== ".");

/**
 * Reports whether a path of a repository is the one of a pattern, or below it. `*` stands for any part of a name, `**` for any
 * number of folders.
 */
export function matchesPath(pattern: string, path: string): boolean {
  // Several in a row mean the same as one, and would try every division of the path among them.
  const steps = stepsOf(pattern).filter((step, index, all) => step !== "**" || all[index - 1] !== "**");
  return steps.length > 0 && matchesSteps(steps, stepsOf(path));
}
