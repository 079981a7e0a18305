import type { HubRule } from "#shared/runtime/function-manifest.ts";

const width = 120;

/** Returns a text as comment lines that are not too long. */
export function commentLines(text: string, indent = ""): readonly string[] {
  const lines: string[] = [];
  let line = `${indent}#`;
  for (const word of text.split(" ")) {
    if (line.length + 1 + word.length > width) {
      lines.push(line);
      line = `${indent}#`;
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

/** Returns the lines of `key: [items]`, one for each item where the list is too long for one. */
function listLines(key: string, items: readonly string[], indent: string): readonly string[] {
  const written = items.map((item) => (item === "" ? '""' : item));
  const line = `${indent}${key}: [${written.join(", ")}]`;
  return line.length <= width
    ? [line]
    : [`${indent}${key}:`, ...written.map((item) => `${indent}  - ${item}`)];
}

/** Returns the rules of a ClusterRole as lines of YAML. */
export function ruleLines(rules: readonly HubRule[]): readonly string[] {
  return rules.flatMap(({ why, apiGroups, resources, resourceNames, verbs }) => [
    ...(why ? commentLines(why) : []),
    ...listLines("apiGroups", apiGroups, "- "),
    ...listLines("resources", resources, "  "),
    ...(resourceNames ? listLines("resourceNames", resourceNames, "  ") : []),
    ...listLines("verbs", verbs, "  "),
  ]);
}

/** Returns the variables of a container that name these queues, as lines of YAML. */
export function queueVariables(
  queues: readonly string[],
  variable: (queue: string) => string,
): readonly string[] {
  const urls = queues.map((queue) => `"${queue}":"$(${variable(queue)})"`);
  return [
    ...queues.flatMap((queue) => [
      `- name: ${variable(queue)}`,
      "  valueFrom:",
      "    configMapKeyRef:",
      "      name: hubrelay-settings",
      `      key: ${variable(queue)}`,
    ]),
    "- name: HUBRELAY_QUEUE_URLS",
    ...(urls.length > 2
      ? ["  value: >-", ...`{${urls.join(",\n")}}`.split("\n").map((line) => `    ${line}`)]
      : [`  value: '{${urls.join(",")}}'`]),
  ];
}
