// Instants as queries and commands name them: to the second, UTC.

const AS_IN_THE_TABLE = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/;
/** Decision A7, and as the specification has it, with or without a colon; a plus that was not encoded has become a space. */
const AS_SHOWN = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:Z|[+ ]00:?00)$/;

/**
 * Years that PostgreSQL and JavaScript write alike, and a second, an hour or a day later they still do. Nothing is on record outside of
 * them, so a period that goes beyond has the same in it.
 */
const EARLIEST = Date.UTC(1970, 0, 1);
const LATEST = Date.UTC(9998, 11, 31, 23, 59, 59);

/** As people write "never". */
const END_OF_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Undefined if it is none: 30 February is none. */
export function dateOf(text: string): Date | undefined {
  const [, day, time] = AS_IN_THE_TABLE.exec(text) ?? AS_SHOWN.exec(text) ?? [];
  const instant = new Date(`${day}T${time}Z`);
  const same = !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(`${day}T${time}`);
  return same ? new Date(Math.min(Math.max(instant.getTime(), EARLIEST), LATEST)) : undefined;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The first second of a period: an instant, or where a whole day (`2031-05-31`) begins. Undefined: not one. */
export const beginningOf = (text: string): Date | undefined => dateOf(DAY.test(text) ? `${text} 00:00:00` : text);
/** Its last second: an instant, or where a whole day ends. */
export const endOf = (text: string): Date | undefined => dateOf(DAY.test(text) ? `${text} 23:59:59` : text);

/** Whether a `date-time` of RFC 3339 can be kept: a leap second, `…Z[UTC]` and the year 10000 cannot. */
export function isStorable(text: string): boolean {
  const time = new Date(text).getTime();
  return time >= EARLIEST && time <= END_OF_TIME;
}

/** What either of them must be. */
export const PERIOD_ENDS = "a day such as 2031-05-31, or a date and time (UTC) such as 2031-05-31 14:30:00";
