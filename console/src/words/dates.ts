// Instants as people read them. Settlement is in UTC, so everything is shown in UTC, and says so.

const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const TIME = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });
const SECOND = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZone: "UTC",
});

/** `22 Nov 2026` */
export const dateOf = (at: string | Date): string => DATE.format(new Date(at));
/** `13:04` */
export const timeOf = (at: string | Date): string => TIME.format(new Date(at));
/** `22 Nov 2026, 13:04` */
export const momentOf = (at: string | Date): string => `${dateOf(at)}, ${timeOf(at)}`;
/** `22 Nov 2026, 13:04:27 UTC` */
export const exactly = (at: string | Date): string => `${dateOf(at)}, ${SECOND.format(new Date(at))} UTC`;
/** `2026-11-22` */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

export const DAY_MS = 86_400_000;

/** `today 20:30`, `tomorrow 02:20`, else the whole date: of what is to come or has just been. */
export function soon(at: string | Date, now: Date): string {
  const days = Math.floor(new Date(at).getTime() / DAY_MS) - Math.floor(now.getTime() / DAY_MS);
  if (days === 0) return `today ${timeOf(at)} UTC`;
  if (days === 1) return `tomorrow ${timeOf(at)} UTC`;
  return `${momentOf(at)} UTC`;
}

/** `in 3 h 20 min` */
export function until(at: string | Date, now: Date): string {
  const minutes = Math.max(0, Math.round((new Date(at).getTime() - now.getTime()) / 60_000));
  if (minutes < 1) return "now";
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return `in ${rest} min`;
  return rest === 0 || hours >= 24 ? `in ${hours} h` : `in ${hours} h ${rest} min`;
}
