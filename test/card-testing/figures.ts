// The figures of the simulation, and the tables of docs/card-testing.md that show them.

import type { CardTestingSettings } from "../../src/payment/card-testing.ts";
import { type Attack, attackCharges } from "./attacks.ts";
import { HOUR_MS, type SimulatedCharge } from "./charge.ts";
import { MERCHANTS, type Merchant, ordinaryDay } from "./ordinary-days.ts";
import { type Played, play } from "./play.ts";

/** Of each merchant, in the published table. */
export const FULL_DAYS = 20;

/** Ordinary days of one merchant, added up. */
export async function ordinaryDays(merchant: Merchant, days: number, settings: CardTestingSettings): Promise<Played> {
  const sum = { ordinary: 0, refused: 0, slowed: 0, attackThrough: 0 };
  for (let day = 1; day <= days; day++) {
    const played = await play(ordinaryDay(merchant, day), settings);
    sum.ordinary += played.ordinary;
    sum.refused += played.refused;
    sum.slowed += played.slowed;
  }
  return sum;
}

/** From an hour before the attacks to three hours after their beginning. */
export const besideAttacks = (merchant: Merchant, seed: number): readonly SimulatedCharge[] =>
  ordinaryDay(merchant, seed).filter(({ atMs }) => atMs >= 9 * HOUR_MS && atMs < 13 * HOUR_MS);

export function attacked(
  ordinary: readonly SimulatedCharge[],
  attack: Attack,
  seed: number,
  settings: CardTestingSettings,
  currency?: string,
): Promise<Played> {
  const both = [...ordinary, ...attackCharges(attack, seed)].sort((a, b) => a.atMs - b.atMs);
  return play(both, settings, currency);
}

/** Rows of a Markdown table: an attack, and for each merchant how many cards got through and how many customers were refused. */
export async function attackTable(attacks: readonly Attack[], settings: CardTestingSettings): Promise<string[]> {
  const beside = MERCHANTS.map((merchant) => besideAttacks(merchant, 1));
  const rows: string[] = [];
  for (const attack of attacks) {
    const cells: string[] = [];
    for (const ordinary of beside) {
      const { attackThrough, refused } = await attacked(ordinary, attack, 1, settings);
      cells.push(`${attackThrough} / ${refused}`);
    }
    rows.push(`| ${attack.name} | ${attack.cards} | ${cells.join(" | ")} |`);
  }
  return rows;
}

/** Rows of a Markdown table: a merchant, its sales, and how many of them were refused and slowed. */
export async function ordinaryTable(days: number, settings: CardTestingSettings): Promise<string[]> {
  const rows: string[] = [];
  for (const merchant of MERCHANTS) {
    const { ordinary, refused, slowed } = await ordinaryDays(merchant, days, settings);
    rows.push(`| ${merchant.name} | ${ordinary} | ${refused} | ${slowed} |`);
  }
  return rows;
}
