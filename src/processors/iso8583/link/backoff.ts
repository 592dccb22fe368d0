// How long to wait before the next attempt to connect: twice as long each time, within bounds, and never the same on two
// nodes.

const FIRST_MS = 100;
const LONGEST_MS = 15_000;

/** @param chance from 0 up to, not including, 1 */
export const pauseMs = (failures: number, chance: number): number => {
  const most = Math.min(FIRST_MS * 2 ** Math.min(failures, 20), LONGEST_MS);
  return Math.round(most * (0.5 + chance / 2));
};
