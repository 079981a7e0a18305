import { type Check, note, ok } from "./check.ts";

const title = "login";
const dayMs = 24 * 60 * 60 * 1000;
/** Time enough for a person to notice it and to rotate the credentials of every function. */
const soonDays = 14;

/** Reports how long the kubeconfig's login is still valid at `now`. */
export function loginCheck(end: Date, now: Date): Check {
  const days = Math.floor((end.getTime() - now.getTime()) / dayMs);
  const until = `until ${end.toISOString().slice(0, 10)}`;
  const found = `The kubeconfig's login is valid for ${days} more day${days === 1 ? "" : "s"}, ${until}.`;
  return days >= soonDays
    ? ok(title, found)
    : note(title, found, "Replace it before: docs/how-to/rotate-credentials.md.");
}
