// Seals every card number anew under the newest data key, in portions, while traffic goes on. It can stop anywhere
// and start again: each row is under its old key or the new one, and opens either way.

import { CannotOpen } from "./sealed-bytes.ts";
import type { RowOfCard, SealedCard, Vault } from "./vault.ts";

export interface SealedRow extends RowOfCard, SealedCard {}

export interface SealedRows {
  /** All rows in one lasting order, from the one after this on. */
  after(row: RowOfCard | undefined, most: number): Promise<readonly SealedRow[]>;
  /** Writes those whose key is still the one before; the others were removed or sealed anew since. */
  replace(rows: readonly (SealedRow & { readonly keyBefore: number })[]): Promise<void>;
}

export interface Resealed {
  readonly looked: number;
  readonly resealed: number;
  /** Rows that do not open: changed by somebody, or their key is gone. They stay as they are. */
  readonly broken: readonly RowOfCard[];
}

const PORTION = 500;

/** One walk over all rows. @param leaving the keys under which nothing is to stay */
export async function resealAll(
  vault: Vault,
  rows: SealedRows,
  leaving: ReadonlySet<number>,
  progress: (soFar: Resealed) => void,
): Promise<Resealed> {
  let soFar: Resealed = { looked: 0, resealed: 0, broken: [] };
  let last: RowOfCard | undefined;
  for (;;) {
    const portion = await rows.after(last, PORTION);
    const broken: RowOfCard[] = [];
    const anew: (SealedRow & { readonly keyBefore: number })[] = [];
    for (const row of portion.filter(({ keyId }) => leaving.has(keyId))) {
      const { merchantId, transactionId, keyId } = row;
      const card = await sealedAnew(vault, row);
      if (card === undefined) broken.push({ merchantId, transactionId });
      else anew.push({ merchantId, transactionId, ...card, keyBefore: keyId });
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

async function sealedAnew(vault: Vault, row: SealedRow): Promise<SealedCard | undefined> {
  try {
    return await vault.seal(await vault.open(row, row), row);
  } catch (fault) {
    if (fault instanceof CannotOpen) return undefined;
    throw fault;
  }
}
