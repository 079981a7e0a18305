const instant =
  /^(?<local>\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:[.,](?<fraction>\d+))?(?:Z|(?<sign>[+-])(?<hours>\d{2}):(?<minutes>\d{2}))$/;
/** The largest hours and the largest minutes that Go accepts in an offset from UTC. */
const maxOffset = { hours: 24, minutes: 60 };

/** Parses an RFC 3339 time as Go does: the hour may have one digit. Returns undefined for any other text. */
export function parseGoTime(text: string): Date | undefined {
  const padded = text.replace(/T(?=\d:)/, "T0");
  const { local, fraction = "0", sign, hours = "0", minutes = "0" } = instant.exec(padded)?.groups ?? {};
  if (local === undefined) return undefined;
  const date = new Date(`${local}Z`);
  // JavaScript parses 30 February as a day in March.
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(local)) return undefined;
  if (Number(hours) > maxOffset.hours || Number(minutes) > maxOffset.minutes) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
  return new Date(date.getTime() + Math.floor(Number(`0.${fraction}`) * 1_000) - offset);
}
