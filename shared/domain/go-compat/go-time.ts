const layout = "2006-01-02T15:04:05Z07:00";

/** The parts of a timestamp: name in the layout, pattern and range of values. */
const parts: readonly Readonly<{
  name: string;
  format: RegExp;
  unit?: string;
  from?: number;
  to?: number;
}>[] = [
  { name: "2006", format: /^\d{4}/ },
  { name: "-", format: /^-/ },
  { name: "01", format: /^\d{2}/, unit: "month", from: 1, to: 12 },
  { name: "-", format: /^-/ },
  { name: "02", format: /^\d{2}/ },
  { name: "T", format: /^T/ },
  { name: "15", format: /^\d{1,2}/, unit: "hour", from: 0, to: 23 },
  { name: ":", format: /^:/ },
  { name: "04", format: /^\d{2}/, unit: "minute", from: 0, to: 59 },
  { name: ":", format: /^:/ },
  { name: "05", format: /^\d{2}/, unit: "second", from: 0, to: 59 },
  { name: "Z07:00", format: /^(?:[.,]\d+)?(?:Z|[-+]\d{2}:\d{2})/ },
];

export type GoTime = Readonly<{ time: string } | { error: string }>;

/** Quotes text as Go's time package does: everything but printable ASCII byte by byte. */
function quote(text: string): string {
  const quoted = Array.from(new TextEncoder().encode(text), (byte) => {
    const character = String.fromCharCode(byte);
    if (byte < 0x20 || byte > 0x7e) return `\\x${byte.toString(16).padStart(2, "0")}`;
    return character === '"' || character === "\\" ? `\\${character}` : character;
  });
  return `"${quoted.join("")}"`;
}

/** Undefined for a day that its month does not have. */
function inUtc([
  year = "",
  ,
  month = "",
  ,
  day = "",
  ,
  hour = "",
  ,
  minute = "",
  ,
  second = "",
  zone = "",
]: string[]) {
  const local = new Date(0);
  local.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (local.getUTCDate() !== Number(day)) return undefined;
  local.setUTCHours(Number(hour), Number(minute), Number(second));
  const [, sign = "+", hours = "0", minutes = "0"] = /([-+])(\d{2}):(\d{2})$/.exec(zone) ?? [];
  const offsetMs = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return `${new Date(local.getTime() - offsetMs).toISOString().slice(0, 19)}Z`;
}

/** Parses a timestamp as Go's time package parses RFC 3339. Returns it in UTC, or Go's error. */
export function parseGoTime(text: string): GoTime {
  const found: string[] = [];
  let rest = text;
  for (const { name, format, unit, from = 0, to = 0 } of parts) {
    const [part] = format.exec(rest) ?? [];
    if (part === undefined) {
      return {
        error: `parsing time ${quote(text)} as "${layout}": cannot parse ${quote(rest)} as "${name}"`,
      };
    }
    if (unit && (Number(part) < from || Number(part) > to)) {
      return { error: `parsing time ${quote(text)}: ${unit} out of range` };
    }
    found.push(part);
    rest = rest.slice(part.length);
  }
  if (rest !== "") return { error: `parsing time ${quote(text)}: extra text: ${quote(rest)}` };
  const time = inUtc(found);
  return time ? { time } : { error: `parsing time ${quote(text)}: day out of range` };
}
