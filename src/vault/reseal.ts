// Seals every card number anew under the newest data key, in portions, while traffic goes on. It can stop anywhere
// and start again: each row is under its old key or the new one, and opens either way.

import { CannotOpen } from "./sealed-bytes.ts";
import type { RowOfCard, SealedCard, Vault } from "./vault.ts";

export type SealedRow<Row extends RowOfCard> = Row & SealedCard;

/** A table of sealed numbers. */
export interface SealedRows<Row extends RowOfCard> {
  /** All rows in one lasting order, from the one after this on. */
  after(row: Row | undefined, most: number): Promise<readonly SealedRow<Row>[]>;
  /** Writes those whose key is still the one before; the others were removed or sealed anew since. */
  replace(rows: readonly (SealedRow<Row> & { readonly keyBefore: number })[]): Promise<void>;
}

export interface Resealed<Row extends RowOfCard = RowOfCard> {
  readonly looked: number;
  readonly resealed: number;
  /** Rows that do not open: changed by somebody, or their key is gone. They stay as they are. */
  readonly broken: readonly Row[];
}

const PORTION = 500;

/** One walk over all rows. @param leaving the keys under which nothing is to stay */
export async function resealAll<Row extends RowOfCard>(
  vault: Vault,
  rows: SealedRows<Row>,
  leaving: ReadonlySet<number>,
  progress: (soFar: Resealed<Row>) => void,
): Promise<Resealed<Row>> {
  let soFar: Resealed<Row> = { looked: 0, resealed: 0, broken: [] };
  let last: Row | undefined;
  for (;;) {
    const portion = await rows.after(last, PORTION);
    const broken: Row[] = [];
    const anew: (SealedRow<Row> & { readonly keyBefore: number })[] = [];
    for (const row of portion.filter(({ keyId }) => leaving.has(keyId))) {
      const { keyId, sealed: _, ...place } = row;
      const card = await sealedAnew(vault, row);
      if (card === undefined) broken.push(place as unknown as Row);
      else anew.push(Object.assign({}, row, card, { keyBefore: keyId }));
    }
    if (anew.length > 0) await rows.replace(anew);
    soFar = {
      looked: soFar.looked + portion.length,
      resealed: soFar.resealed + anew.length,
      broken: [...soFar.broken, ...broken],
    };
    last = portion.at(-1);
    if (portion.length < PORTION) return soFar;
    progress(soFar);
  }
}

async function sealedAnew(vault: Vault, row: SealedRow<RowOfCard>): Promise<SealedCard | undefined> {
  try {
    return await vault.reseal(row, row);
  } catch (fault) {
    if (fault instanceof CannotOpen) return undefined;
    throw fault;
  }
}
