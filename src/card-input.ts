// A card as the API takes it, for the command line, which takes the same and is beside it.

import { readJsonObject } from "./api/body/json.ts";
import { type BodyTree, emptyTree } from "./api/body/tree.ts";
import { type CardRequest, parseCard } from "./api/parse-card.ts";
import { refusalFault } from "./api/refusal-responses.ts";
import { RequestFault } from "./api/request-fault.ts";
import type { Refused } from "./payment/refusal.ts";

/** In the words of the API; no text repeats what was sent. */
export interface WrongInput {
  readonly kind: "wrong";
  /** For programs. */
  readonly code: string;
  /** By field; `base` is about all of it. */
  readonly messages: Readonly<Record<string, readonly string[]>>;
  /** Of the request, and not of what answers it. */
  readonly callersFault: boolean;
}

/** @param text a JSON object with the fields of POST /api/cards */
export const cardInJson = (text: string): CardRequest | WrongInput => parsed(() => readJsonObject(text, "The file"));

/** @param fields those of POST /api/cards, as texts; empty ones are absent */
export const cardInFields = (fields: Readonly<Record<string, string>>): CardRequest | WrongInput =>
  parsed(() => Object.assign(emptyTree(), fields));

/** What the rules refuse of a card that is stored. */
export const wrongBy = (refused: Refused): WrongInput => wrongInput(refusalFault(refused));

function parsed(read: () => BodyTree): CardRequest | WrongInput {
  try {
    return parseCard(read()).request;
  } catch (fault) {
    if (fault instanceof RequestFault) return wrongInput(fault);
    throw fault;
  }
}

const wrongInput = ({ status, code, messages }: RequestFault): WrongInput => ({
  ...{ kind: "wrong", code, messages },
  callersFault: status < 500,
});
