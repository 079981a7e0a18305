import { join } from "node:path";
import { groupOf } from "#shared/domain/kubernetes/access.ts";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import type { Watch, Watches } from "#shared/runtime/controller.ts";
import type { FunctionManifest, HubRule } from "#shared/runtime/function-manifest.ts";
import { camelCase, loadModule, queueUrlVariable } from "./manifests.ts";

const width = 120;

/** Returns a text as lines of a YAML comment. Each line has at most 120 characters. */
export function commentLines(text: string): readonly string[] {
  const lines: string[] = [];
  let line = "#";
  for (const word of text.split(" ")) {
    if (line.length + 1 + word.length > width) {
      lines.push(line);
      line = "#";
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

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

/** Returns a container's environment variables with the URLs of these queues, as lines of YAML. */
export function queueVariables(queues: readonly string[]): readonly string[] {
  const urls = queues.map((queue) => `"${queue}":"$(${queueUrlVariable(queue)})"`);
  return [
    ...queues.flatMap((queue) => [
      `- name: ${queueUrlVariable(queue)}`,
      "  valueFrom:",
      "    configMapKeyRef:",
      "      name: hubrelay-settings",
      `      key: ${queueUrlVariable(queue)}`,
    ]),
    "- name: HUBRELAY_QUEUE_URLS",
    ...(urls.length > 2
      ? ["  value: >-", ...`{${urls.join(",\n")}}`.split("\n").map((line) => `    ${line}`)]
      : [`  value: '{${urls.join(",")}}'`]),
  ];
}

/** Returns the watches of these functions. `root` is the repository with the files `functions/NAME/watches.ts`. */
export function watchesOf(root: string, manifests: readonly FunctionManifest[]): readonly Watches[] {
  return manifests.map(({ name }) => {
    const exported = `${camelCase(name)}Watches`;
    const watches: Watches | undefined = loadModule(join(root, "functions", name, "watches.ts"))[exported];
    if (!watches) throw new Error(`functions/${name}/watches.ts exports no ${exported}`);
    return watches;
  });
}

/** Returns the kinds that the resync tick lists for a function. */
export function listedByTick({ watches, ticks }: Watches): readonly Pick<Watch, "kind" | "selector">[] {
  return ticks ? [...watches, ...ticks.reads] : watches.filter(({ sourceOf }) => !sourceOf);
}

/** Returns the rules of a ClusterRole that permit these verbs on the watched objects. */
export function rulesFor(
  watches: readonly Pick<Watch, "kind" | "selector">[],
  verbs: readonly string[],
): readonly HubRule[] {
  const places = watches.map(({ kind, selector }) => ({
    group: groupOf(kind),
    // If `selector.name` is a function, requests contain no name, so the rule must not be limited to a name.
    name: typeof selector?.name === "string" ? selector.name : "",
    resource: kind.plural,
  }));
  const groups = Map.groupBy(places, ({ group, name }) => `${group} ${name}`);
  return [...groups.entries()]
    .sort(([one], [other]) => byCodeUnit(one, other))
    .map(([, [first, ...others]]) => ({
      apiGroups: [first?.group ?? ""],
      resources: [...new Set([first, ...others].flatMap((place) => place?.resource ?? []))].sort(byCodeUnit),
      ...(first?.name ? { resourceNames: [first.name] } : {}),
      verbs,
    }));
}
