import {
  fieldsOf,
  isRecord,
  objectsOf,
  parseJson,
  type UnknownRecord,
} from "../../../domain/kubernetes/json/values.ts";
import { redactForeign } from "../../../domain/text/redact.ts";
import { HubError, type HubErrorCode, type RefusalCause } from "../../../ports/hub.ts";
import { isTimeout, networkErrorText } from "../../network/network-errors.ts";
import { retryAfterOf } from "../../network/requests.ts";

const maxMessageLength = 500;

/** An error response of the API server. `status` is the HTTP status, or the status in a watch's ERROR event. */
export class ApiError extends HubError {
  readonly status: number;
  /** The fields that the server rejected. Empty if the server rejected the request for another reason. */
  readonly causes: readonly RefusalCause[];

  constructor(
    status: number,
    code: HubErrorCode,
    message: string,
    options: Readonly<{ retryAfterSeconds?: number; causes?: readonly RefusalCause[] }> = {},
  ) {
    super(code, message, options);
    this.status = status;
    this.causes = options.causes ?? [];
  }
}

const codesByStatus: Readonly<Record<number, HubErrorCode>> = {
  400: "Invalid",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "Invalid",
  408: "Timeout",
  409: "Conflict",
  413: "Invalid",
  415: "Invalid",
  422: "Invalid",
  429: "TooManyRequests",
  502: "Unavailable",
  503: "Unavailable",
  504: "Timeout",
};

/**
 * The text of a missing permission. Any other 403 refuses the content, such as that of a webhook or a quota. Source:
 * apiserver, responsewriters.Forbidden.
 */
const lacksRight = /\bcannot \S{1,64} (?:resource|path) "/;

function codeOf(status: number, { reason, message }: UnknownRecord): HubErrorCode {
  if (status === 403 && typeof message === "string" && !lacksRight.test(message)) return "Invalid";
  if (reason === "AlreadyExists") return "AlreadyExists";
  if (reason === "ServerTimeout" || reason === "Timeout") return "Timeout";
  return codesByStatus[status] ?? "InternalError";
}

function retryAfter(header: string | undefined, details: unknown): { retryAfterSeconds?: number } {
  const { retryAfterSeconds } = fieldsOf(details);
  return { ...(typeof retryAfterSeconds === "number" && { retryAfterSeconds }), ...retryAfterOf(header) };
}

function causesOf(details: unknown): readonly RefusalCause[] {
  const causes = objectsOf(fieldsOf(details).causes);
  return causes.map(({ field, reason, message }) => ({
    field: String(field ?? ""),
    reason: String(reason ?? ""),
    message: redactForeign(String(message ?? "")),
  }));
}

/** Returns the error that a `Status` object of the API describes. Returns undefined if `value` is no `Status`. */
export function statusError(
  value: unknown,
  what: string,
  {
    status: httpStatus = 500,
    retryAfterHeader,
  }: Readonly<{ status?: number; retryAfterHeader?: string }> = {},
): ApiError | undefined {
  if (!isRecord(value) || value.kind !== "Status") return undefined;
  const status = typeof value.code === "number" && value.code > 0 ? value.code : httpStatus;
  const text = redactForeign(String(value.message ?? "")).slice(0, maxMessageLength);
  return new ApiError(status, codeOf(status, value), `${what}: ${text || `the hub returned ${status}`}`, {
    ...retryAfter(retryAfterHeader, value.details),
    causes: causesOf(value.details),
  });
}

/** Returns the error for an unsuccessful response. A proxy's 404 is `Unavailable`: the hub must not look empty. */
export function responseError(
  { status, text, retryAfterHeader }: Readonly<{ status: number; text: string; retryAfterHeader?: string }>,
  what: string,
): ApiError {
  const header = retryAfterHeader === undefined ? {} : { retryAfterHeader };
  const fromStatus = statusError(parseJson(text), what, { status, ...header });
  if (fromStatus) return fromStatus;
  const isUnknownPath = status === 404 && text.trim() === "404 page not found";
  if (isUnknownPath) return new ApiError(status, "NotFound", `${what}: the hub has no such resource`);
  const code = status < 400 || status === 404 ? "Unavailable" : codeOf(status, {});
  const message = `${what}: the response (${status}) is not from a Kubernetes API`;
  return new ApiError(status, code, message, retryAfter(retryAfterHeader, undefined));
}

/** Reports whether an error means that the object or its kind does not exist. */
export function isAbsent(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "NotFound";
}

/** Reports whether an error means that a resourceVersion or a continue token is too old. */
export function isExpired(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 410;
}

/** Returns the `HubError` for a request without a complete response. */
export function networkError(error: unknown, what: string): HubError {
  if (error instanceof HubError) return error;
  if (isTimeout(error))
    return new HubError("Timeout", `${what}: the hub did not respond in time (${networkErrorText(error)})`);
  return new HubError("Unavailable", `${what}: the hub cannot be reached (${networkErrorText(error)})`);
}
