import { isNested } from "../images/scope.ts";
import { byCodeUnit } from "../kubernetes/json/values.ts";
import { tryLoadRegistries } from "../mirrors/registries-conf/load-registries.ts";
import { type RegistryEntry, scopeOf } from "../mirrors/registries-conf/registries-conf.ts";
import { type NodeFile, nodePaths } from "../openshift/machine-config/node-file.ts";
import { sentence } from "../text/redact.ts";
import type { PolicyChange } from "./policy-change.ts";

/** Returns the entry that decides about a scope: its own, or the nearest around it. */
function entryFor(entries: readonly RegistryEntry[], scope: string): RegistryEntry | undefined {
  return entries
    .filter((entry) => scopeOf(entry) === scope || isNested(scope, scopeOf(entry)))
    .toSorted((a, b) => scopeOf(b).length - scopeOf(a).length)[0];
}

function textOf(scope: string, entry: RegistryEntry | undefined, isOpen: boolean): string {
  const [most, least] =
    (entry?.mirrors.length ?? 0) > 0
      ? ["the source may be contacted", "only the mirrors may be"]
      : ["images may be pulled", "none may be pulled"];
  return isOpen ? sentence`${scope}: ${most}; before ${least}` : sentence`${scope}: ${least}; before ${most}`;
}

/** Returns the scopes that registries.conf blocks on one side only; none where a side cannot be read. */
export function blockChanges(
  before: readonly NodeFile[],
  after: readonly NodeFile[],
): readonly PolicyChange[] {
  const [old, now] = [tryLoadRegistries(before), tryLoadRegistries(after)];
  if ("problem" in old || "problem" in now) return [];
  const blocked = [...old.entries, ...now.entries].filter((entry) => entry.blocked === true).map(scopeOf);
  return [...new Set(blocked)].sort(byCodeUnit).flatMap((scope): PolicyChange[] => {
    const [was, is] = [entryFor(old.entries, scope), entryFor(now.entries, scope)];
    const isOpen = is?.blocked !== true;
    if ((was?.blocked !== true) === isOpen) return [];
    const [first, last] = isOpen ? (["reject", "accept"] as const) : (["accept", "reject"] as const);
    const effect = isOpen ? "weaker" : "stricter";
    return [
      {
        path: nodePaths.registriesConf,
        scope,
        before: first,
        after: last,
        effect,
        text: textOf(scope, isOpen ? was : is, isOpen),
      },
    ];
  });
}
