import type { Issue } from "./issue.ts";

/** Builds the issue of a mirror set's field. */
export const issueAt = (
  path: string,
  value: unknown = "quay.io/a:1",
  severity: Issue["severity"] = "error",
): Issue => ({
  code: "InvalidSource",
  severity,
  object: { kind: "ImageDigestMirrorSet", name: "a" },
  path,
  value,
  message: "",
  remedy: "",
});
