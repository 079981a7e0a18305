/** Reports whether a text is a day of the calendar, such as `2026-12-31`. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  // JavaScript accepts a day that does not exist: February 30 becomes March 2.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
