import type { RegistryEntry, RegistryMirror } from "../mirrors/registries-conf/registries-conf.ts";
import { sentence } from "../text/redact.ts";
import type { Change } from "./node-cost/registries-change.ts";

function mirrorText({ location, insecure, pullFromMirror }: RegistryMirror): string {
  return [location, pullFromMirror, insecure ? "insecure" : ""].filter(Boolean).join(" ");
}

function itemsOf(entry: RegistryEntry | null): readonly string[] {
  if (!entry) return [];
  const flags = [...(entry.blocked ? ["blocked"] : []), ...(entry.insecure ? ["insecure"] : [])];
  return [...entry.mirrors.map(mirrorText), ...flags];
}

/** Returns one text for each removed (`- old`) or added (`+ new`) mirror, flag or search registry. */
export function changeDetails(change: Change): readonly string[] {
  const items = (side: Change["before"]): readonly string[] => {
    if (side === null || "sha256" in side) return [];
    return "mirrors" in side ? itemsOf(side) : side;
  };
  const before = items(change.before);
  const after = items(change.after);
  return [
    ...before.filter((item) => !after.includes(item)).map((item) => sentence`- ${item}`),
    ...after.filter((item) => !before.includes(item)).map((item) => sentence`+ ${item}`),
  ];
}

/** Returns the path or scope that changes. For a scope of a drop-in, returns `SCOPE of FILE`. */
export function changedName(change: Change): string {
  if (!("scope" in change)) return change.path;
  return change.file === undefined ? change.scope : sentence`${change.scope} of ${change.file}`;
}

/** Formats a change in one line: `quay.io/acme changed: - old.example.com, + new.example.com`. */
export function changeText(change: Change): string {
  const details = changeDetails(change).join(", ");
  return sentence`${changedName(change)} ${change.kind}${details ? sentence`: ${details}` : ""}`;
}
