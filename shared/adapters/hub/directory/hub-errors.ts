import { HubError, type HubErrorCode } from "../../../ports/hub.ts";

/** SQLITE_BUSY: another process held the lock longer than the timeout. */
const busy = 5;

const codes: Readonly<Record<string, HubErrorCode>> = {
  EACCES: "Forbidden",
  EPERM: "Forbidden",
  EROFS: "Forbidden",
  ENOSPC: "Unavailable",
  EDQUOT: "Unavailable",
  EMFILE: "Unavailable",
  ENFILE: "Unavailable",
};

function codeOf(error: Error): HubErrorCode {
  if ("errcode" in error && error.errcode === busy) return "Timeout";
  return ("code" in error && typeof error.code === "string" && codes[error.code]) || "InternalError";
}

/** Returns any error as the port's error; `what` is the verb and the object of the request. */
export function asHubError(error: unknown, what: string): HubError {
  if (error instanceof HubError)
    return new HubError(error.code, `${what}: ${error.message}`, { cause: error });
  if (!(error instanceof Error)) return new HubError("InternalError", `${what}: ${String(error)}`);
  return new HubError(codeOf(error), `${what}: ${error.message}`, { cause: error });
}
