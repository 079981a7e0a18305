/** Puts an error of a command's line, which commander writes as "error: …", on one line that names its help. */
export function usageError(text: string, command: string): string {
  const [, problem = ""] = /^(?:error: )?(.*?)\.?\s*$/s.exec(text) ?? [];
  return `${problem.replaceAll("\n", " ")}. Run '${command} --help' for usage.`;
}
