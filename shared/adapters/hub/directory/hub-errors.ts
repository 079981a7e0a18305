import { ownValue } from "../../../domain/kubernetes/json/values.ts";
import type { HubErrorCode } from "../../../ports/hub.ts";
import { fileErrorCode, fileProblem } from "../../file-errors.ts";

const codes: Readonly<Record<string, HubErrorCode>> = {
  EACCES: "Forbidden",
  EPERM: "Forbidden",
  EROFS: "Forbidden",
  EBUSY: "Timeout",
  ENOSPC: "Unavailable",
  EDQUOT: "Unavailable",
  EMFILE: "Unavailable",
  ENFILE: "Unavailable",
};

/** Returns why the file system failed. */
export function failureOf(error: Error): Readonly<{ code: HubErrorCode; message: string }> {
  return { code: ownValue(codes, fileErrorCode(error)) ?? "InternalError", message: fileProblem(error) };
}
