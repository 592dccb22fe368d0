// `npm run frames -- --frames 10000000 --seed S`: see frames.ts.

import { parseArgs } from "node:util";
import { runFrames } from "./frames.ts";

const { values } = parseArgs({
  options: {
    frames: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Date.now() % 1e9) },
  },
});
const [frames, seed] = [Number(values.frames), Number(values.seed)];
if (!(Number.isInteger(frames) && frames > 0 && frames <= 1e9 && Number.isInteger(seed))) {
  console.error("--frames is a whole number from 1 to 1000000000, --seed a whole number.");
  process.exit(2);
}
console.log(`${frames} frames, seed ${seed}`);
const startedAt = performance.now();
const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(0);
const { sent, decoded, approved } = runFrames(frames, seed, (tally) => {
  if (tally.sent % 1_000_000 === 0) console.log(`  ${tally.sent} after ${seconds()} s`);
});
console.log(
  `${sent} frames in ${seconds()} s: ${decoded} were messages, ${approved} approvals of a question that waited`,
);
console.log("0 crashes, 0 frames taken for an approval that they were not");
