// Time, as everybody but the process itself reads it. In the sandbox it is real time plus an offset that only grows.

export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** A clock that stands still, for tests of rules. */
export const fixedClock = (iso: string): Clock => ({ now: () => new Date(iso) });
