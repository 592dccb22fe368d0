// Which days' money is told no more: what happened up to the last that is archived may lack something, and half an account is none.

import type { Period } from "../journal/search/span.ts";
import { timestamp } from "../validation/fields.ts";

/** Whether all of the period is after what is archived. */
export const isAfter = ({ from }: Pick<Period, "from">, archivedUntil: Date): boolean =>
  from !== null && from > archivedUntil;

/** For whoever asked for an earlier day. */
export const archivedText = (archivedUntil: Date): string =>
  `must be after ${timestamp(archivedUntil)}: transactions up to then are archived, and only the operator can restore them`;
