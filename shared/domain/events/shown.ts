import { redact } from "../credentials/redact.ts";

const longestShown = 48;

/**
 * Returns a value for the reason of a refusal: short, one line of printable ASCII (the limit of message attributes
 * and terminals), without credentials. Lists and objects are only named, since they may hold anything at any depth.
 */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  if (value === undefined) return "missing";
  if (typeof value !== "string") return String(value);
  const escaped = JSON.stringify(redact(value.slice(0, 1024)))
    .slice(1, -1)
    .replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return escaped.length > longestShown ? `"${escaped.slice(0, longestShown)}..."` : `"${escaped}"`;
}
