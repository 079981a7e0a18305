/** Time as the Kubernetes API writes it: RFC 3339 in UTC, whole seconds. */
export function timestamp(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, "Z");
}
