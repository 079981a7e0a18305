/** Formats a time as the Kubernetes API does: RFC 3339 in UTC, whole seconds. */
export function timestamp(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, "Z");
}
