import { type Check, note, ok, problem } from "./check.ts";

const title = "login";
const dayMs = 24 * 60 * 60 * 1000;
/** Time enough for a person to notice it and to rotate the credentials of every function. */
const soonDays = 14;

/** Reports how long a login is still valid at `now`: that of the kubeconfig, or a function's. */
export function loginCheck(end: Date, now: Date, functionName?: string): Check {
  const name = functionName === undefined ? title : `${title} of ${functionName}`;
  const whose = functionName === undefined ? "The kubeconfig's login" : "Its login";
  const days = Math.floor((end.getTime() - now.getTime()) / dayMs);
  const until = `until ${end.toISOString().slice(0, 10)}`;
  if (end <= now)
    return problem(name, `${whose} was valid ${until}.`, "Replace it: docs/how-to/rotate-credentials.md.");
  const found = `${whose} is valid for ${days} more day${days === 1 ? "" : "s"}, ${until}.`;
  return days >= soonDays
    ? ok(name, found)
    : note(name, found, "Replace it before: docs/how-to/rotate-credentials.md.");
}
