// What other settings than the default would cost and stop.

import { type CardTestingSettings, DEFAULT_CARD_TESTING } from "../../src/payment/card-testing.ts";
import { ATTACKS } from "./attacks.ts";
import { attacked, besideAttacks, ordinaryDays } from "./figures.ts";
import { MERCHANTS } from "./ordinary-days.ts";

const VARIANTS: readonly Partial<CardTestingSettings>[] = [
  {},
  { cardsPerRange: 20 },
  { cardsPerRange: 30 },
  { cardsPerRange: 60 },
  { windowMinutes: 5 },
  { windowMinutes: 30 },
  { withoutDeclines: true },
];

/** Rows: the settings, ordinary sales refused, the attack's cards at worst, and ordinary sales refused during attacks. */
export async function thresholdTable(days: number): Promise<string[]> {
  const rows: string[] = [];
  for (const variant of VARIANTS) {
    const settings = { ...DEFAULT_CARD_TESTING, ...variant };
    let [sales, refused, most, beside] = [0, 0, 0, 0];
    for (const merchant of MERCHANTS) {
      const played = await ordinaryDays(merchant, days, settings);
      sales += played.ordinary;
      refused += played.refused;
      for (const attack of ATTACKS) {
        const under = await attacked(besideAttacks(merchant, 1), attack, 1, settings);
        most = Math.max(most, under.attackThrough);
        beside += under.refused;
      }
    }
    const { cardsPerRange, windowMinutes, withoutDeclines } = settings;
    rows.push(
      `| ${cardsPerRange} | ${windowMinutes} | ${withoutDeclines} | ${refused} of ${sales} | ${most} | ${beside} |`,
    );
  }
  return rows;
}
