// A CSV file of cards to be put on file: a header with the API's names of fields, then one line a card. No message repeats a value, since it
// may be a card number.

import { CsvError, parse } from "csv-parse/sync";
import { cardInFields } from "../card-input.ts";
import type { CardToStore } from "../gateway/cards-on-file.ts";
import type { CardOfFile } from "../gateway/import-cards.ts";
import { idOfKey } from "../merchants/given-id.ts";
import type { PlaceProblems } from "../merchants/import/import.ts";
import { CARDHOLDER_FIELDS } from "../payment/stored-card.ts";
import { isUuid, NIL_UUID } from "../uuid.ts";
import { shownName } from "../validation/stray-card-numbers.ts";
import { Refused } from "./refused.ts";

const NAMES = ["id", "external_key"] as const;
const REQUIRED = ["card_number", "card_expiry_month", "card_expiry_year"] as const;
const COLUMNS: readonly string[] = [...NAMES, ...REQUIRED, "network_transaction_id", ...CARDHOLDER_FIELDS];
/** As of all records that can be created (merchants/given-id.ts). */
const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

interface Line {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** @throws Refused if it is no CSV, or its header is wrong */
export function cardsInCsv(
  text: string,
  merchantId: string,
): { readonly cards: readonly CardOfFile[]; readonly problems: PlaceProblems } {
  const [header, ...lines] = linesOf(text);
  const names = header?.record ?? [];
  refuseWrongHeader(names);
  const problems: [string, string][] = [];
  const seen = new Map<string, number>();
  const cards: CardOfFile[] = [];
  for (const { record, info } of lines) {
    const line = info.lines;
    const found = new Map<string, string>();
    const tell = (field: string, problem: string) => void found.set(field, problem);
    if (record.length !== names.length) tell("", `must have ${names.length} values, as the header has`);
    const values = Object.fromEntries(names.map((name, at) => [name, record[at] ?? ""]));
    const { id = "", external_key: key = "", ...fields } = values;
    const cardId = idOf(id, key, merchantId, tell);
    const before = seen.get(cardId ?? "");
    if (before !== undefined) tell(key === "" ? "id" : "external_key", `is that of line ${before}, too`);
    else if (cardId !== undefined) seen.set(cardId, line);
    const card = cardOf(fields, tell);
    // It is shown with the results.
    if (card !== undefined && key.replace(/\D/g, "").includes(card.number.reveal()))
      tell("external_key", "must not hold the card's number");
    for (const [field, problem] of found) problems.push([`line ${line}`, `${field} ${problem}`.trim()]);
    if (cardId !== undefined && card !== undefined)
      cards.push({ ...card, id: cardId, line, ...(key !== "" && { externalKey: key }) });
  }
  return { cards, problems };
}

function linesOf(text: string): readonly Line[] {
  try {
    const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true, trim: true } as const;
    // Its types know nothing of `info`.
    return parse(text, options) as unknown as readonly Line[];
  } catch (fault) {
    if (!(fault instanceof CsvError)) throw fault;
    // Its own message shows the value.
    throw new Refused(
      `the file is not CSV: line ${Number(fault.lines)} has a quote that is not closed, or text around one`,
      {
        usage: true,
        code: "invalid-file",
      },
    );
  }
}

function refuseWrongHeader(names: readonly string[]): void {
  const refuse = (text: string) => new Refused(text, { usage: true, code: "invalid-file" });
  const unknown = names.find((name) => !COLUMNS.includes(name));
  if (unknown === "card_cvv") throw refuse("the file must have no column card_cvv: a CVV is never stored");
  if (unknown !== undefined)
    throw refuse(`the first line must name the columns; ${shownName(unknown)} is none: use ${COLUMNS.join(", ")}`);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw refuse(`the first line names ${twice} twice`);
  const missing = REQUIRED.filter((name) => !names.includes(name));
  if (missing.length > 0) throw refuse(`the first line must name ${missing.join(", ")}`);
  if (!NAMES.some((name) => names.includes(name)))
    throw refuse("the first line must name id or external_key, so that the same file can be applied again");
}

type Tell = (field: string, problem: string) => void;

function idOf(id: string, key: string, merchantId: string, tell: Tell): string | undefined {
  if (id !== "" && key !== "") tell("external_key", "must be left out where there is an id");
  else if (id !== "") {
    if (isUuid(id) && id !== NIL_UUID) return id.toLowerCase();
    tell("id", "must be a UUID that is not all zeros");
  } else if (KEY.test(key)) return idOfKey("card", merchantId, key);
  else if (key === "") tell("external_key", "is required, or an id");
  else tell("external_key", "must be a key of 1 to 64 letters, digits, points, dashes and underscores");
  return undefined;
}

function cardOf(fields: Readonly<Record<string, string>>, tell: Tell): CardToStore | undefined {
  const read = cardInFields(fields);
  if ("number" in read) return read;
  if ("kind" in read) for (const [field, [problem = ""]] of Object.entries(read.messages)) tell(field, problem);
  return undefined;
}
