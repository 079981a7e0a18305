import type { RegistryEntry, RegistryMirror } from "../mirrors/registries-conf/registry-entry.ts";
import type { Change } from "../node-cost/change.ts";

function mirrorText({ location, insecure, pullFromMirror }: RegistryMirror): string {
  return [location, pullFromMirror, insecure ? "insecure" : ""].filter(Boolean).join(" ");
}

/** What an entry says, item by item. */
function itemsOf(entry: RegistryEntry | null): readonly string[] {
  if (!entry) return [];
  const flags = [...(entry.blocked ? ["blocked"] : []), ...(entry.insecure ? ["insecure"] : [])];
  return [...entry.mirrors.map(mirrorText), ...flags];
}

/** What went and what came, as a patch shows it: `- old` and `+ new`. Of a whole file there are no details. */
export function changeDetails(change: Change): readonly string[] {
  const items = (side: Change["before"]): readonly string[] => {
    if (side === null || "sha256" in side) return [];
    return "mirrors" in side ? itemsOf(side) : side;
  };
  const before = items(change.before);
  const after = items(change.after);
  return [
    ...before.filter((item) => !after.includes(item)).map((item) => `- ${item}`),
    ...after.filter((item) => !before.includes(item)).map((item) => `+ ${item}`),
  ];
}

/** The scope of registries.conf, or the path of the file, that a change is about. */
export function changedName(change: Change): string {
  return "scope" in change ? change.scope : change.path;
}

/** A change in one line: `quay.io/acme changed: - old.example.com, + new.example.com`. */
export function changeText(change: Change): string {
  const details = changeDetails(change).join(", ");
  return `${changedName(change)} ${change.kind}${details ? `: ${details}` : ""}`;
}
