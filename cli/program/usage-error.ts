/** Commands of kubectl that people expect here: hubrelay neither shows nor changes single objects. */
const commandsOfKubectl: readonly string[] = ["apply", "create", "delete", "describe", "edit", "get", "logs"];

function withHint(problem: string): string {
  const [, name = ""] = /^unknown command '(\w+)'$/.exec(problem) ?? [];
  return commandsOfKubectl.includes(name) ? `${problem} (Did you mean kubectl ${name}?)` : problem;
}

/** Puts an error of a command's line, which commander writes as "error: …", on one line that names its help. */
export function usageError(text: string, command: string): string {
  const [, problem = ""] = /^(?:error: )?(.*?)\.?\s*$/s.exec(text) ?? [];
  const sentence = withHint(problem.replaceAll("\n", " "));
  return `${sentence}${sentence.endsWith("?") ? "" : "."} Run '${command} --help' for usage.`;
}
