// Characters that turn the direction in which a line is read. A payer's name or a processor's message with one of them could show an
// amount or a name that is not there, so they show as a sign of their own in everything that the console reads.

/** Embeddings, overrides and isolates (Unicode Standard Annex 9). Right-to-left letters need none of them. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

/** @param json a response, in which they are part of texts only */
export const withoutTurns = (json: string): string => json.replace(TURNS, "\ufffd");
