// Chance in tests: one seed for all that a run draws, and how much it draws. `npm test` draws a little under a seed that is
// new each time, `npm test -- --quick` a quarter of that, `npm run simulate` all of it; each takes `--seed`, and says
// it where something fails.

const { TEST_SEED, TEST_SIZE } = process.env;

export const SEED = TEST_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(TEST_SEED);

/** Whether this is a run of `npm run simulate`. */
export const FULL = TEST_SIZE === "full";

/** Of a run at the desk. */
const QUICK = TEST_SIZE === "quick";

/** @param short in each run of the tests, of which a quick one draws a quarter @param full before anything is called done */
export const sized = (short: number, full: number): number => (FULL ? full : QUICK ? Math.ceil(short / 4) : short);
