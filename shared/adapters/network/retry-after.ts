/** Returns the seconds of a Retry-After header; a date is ignored: hardly any server sends one. */
export function retryAfterOf(header: string | string[] | undefined): { retryAfterSeconds?: number } {
  return typeof header === "string" && /^\d{1,6}$/.test(header) ? { retryAfterSeconds: Number(header) } : {};
}
