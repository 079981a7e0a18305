export const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
const localTime: Intl.DateTimeFormatOptions = {
  weekday: "short",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
};
const ago = new Intl.RelativeTimeFormat(undefined, { style: "narrow" });

function agoText(ms: number): string {
  if (ms < minuteMs) return ago.format(-Math.floor(ms / 1_000), "second");
  return ms < 60 * minuteMs
    ? ago.format(-Math.floor(ms / minuteMs), "minute")
    : ago.format(-Math.floor(ms / minuteMs / 60), "hour");
}

/** Shows times in the viewer's zone, or as an age if they are less than a day old. The tooltip shows UTC. */
export function showTimes(within: ParentNode): void {
  const now = Date.now();
  for (const time of within.querySelectorAll<HTMLTimeElement>("time[data-local]")) {
    const date = new Date(time.dateTime);
    const utc = time.dataset.local || time.textContent;
    time.dataset.local = utc;
    const local = date.getTimezoneOffset() === 0 ? utc : date.toLocaleString(undefined, localTime);
    const since = now - date.getTime();
    const isRecent = since >= 0 && since < dayMs;
    const text = isRecent ? agoText(since) : local;
    // Writing to an element would remove the viewer's selection in it.
    if (time.textContent !== text) time.textContent = text;
    time.title = isRecent && local !== utc ? `${local} (${utc})` : utc;
  }
}

const axisTime: Intl.DateTimeFormatOptions = { weekday: "short", hour: "2-digit", minute: "2-digit" };
const axisDay: Intl.DateTimeFormatOptions = { weekday: "short", month: "short", day: "numeric" };

function showAxis(within: ParentNode): void {
  for (const label of within.querySelectorAll<SVGElement>("text[data-time], text[data-date]")) {
    const { time, date = "" } = label.dataset;
    label.textContent = time
      ? new Date(time).toLocaleString(undefined, axisTime)
      : new Date(date).toLocaleDateString(undefined, axisDay);
  }
}

function showDays(within: ParentNode): void {
  const calendar = within.querySelector<HTMLElement>("[data-from]");
  const { from, to } = calendar?.dataset ?? {};
  for (const day of calendar?.querySelectorAll<SVGElement>("[data-day]") ?? []) {
    const midnight = new Date(`${day.dataset.day}T00:00`).getTime();
    const place = `${(100 * (midnight - Number(from))) / (Number(to) - Number(from))}%`;
    for (const name of day instanceof SVGLineElement ? ["x1", "x2"] : ["x"]) day.setAttribute(name, place);
  }
}

function showZones(within: ParentNode): void {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const zone of within.querySelectorAll<HTMLElement>("[data-zone]"))
    zone.hidden = zone.dataset.zone === own;
}

/** Shows all times in an element in the viewer's zone. */
export function localize(within: ParentNode): void {
  showTimes(within);
  showZones(within);
  showAxis(within);
  showDays(within);
}
