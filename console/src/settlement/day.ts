// Instants of a settlement day. Pure.

const DAY_MS = 86_400_000;

/** The first instant after `now` at this time of day (UTC), such as `22:00`. */
export function nextAt(now: Date, time: string): Date {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS + (hours * 60 + minutes) * 60_000;
  return new Date(today > now.getTime() ? today : today + DAY_MS);
}
