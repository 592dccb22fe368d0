// Field 39: what each code means for the merchant. By ISO 8583:1987 and the lists that Visa, Mastercard and American
// Express publish; A1 and A2 are this dialect's own, N7 is Visa's.

/**
 * - `approved` the issuer said yes
 * - `declined` it said no: nothing was held or moved
 * - `unclear` neither, or not yet: a charge is reversed, another operation asked again
 */
export type Meaning = "approved" | "declined" | "unclear";

export interface ResponseCode {
  readonly meaning: Meaning;
  /** `processor_message` */
  readonly message: string;
}

const approved = (message: string): ResponseCode => ({ meaning: "approved", message });
const declined = (message: string): ResponseCode => ({ meaning: "declined", message });
const unclear = (message: string): ResponseCode => ({ meaning: "unclear", message });

export const RESPONSE_CODES: Readonly<Record<string, ResponseCode>> = {
  "00": approved("APPROVED"),
  "01": declined("REFER TO CARD ISSUER"),
  "02": declined("REFER TO CARD ISSUER, SPECIAL CONDITION"),
  "03": declined("INVALID MERCHANT"),
  "04": declined("PICK UP CARD"),
  "05": declined("DO NOT HONOR"),
  "06": declined("ERROR"),
  "07": declined("PICK UP CARD, SPECIAL CONDITION"),
  "08": approved("APPROVED WITH IDENTIFICATION"),
  "09": unclear("REQUEST IN PROGRESS"),
  "10": unclear("APPROVED FOR A PART OF THE AMOUNT"),
  11: approved("APPROVED, VIP"),
  12: declined("INVALID TRANSACTION"),
  13: declined("INVALID AMOUNT"),
  14: declined("INVALID CARD NUMBER"),
  15: declined("NO SUCH ISSUER"),
  16: approved("APPROVED, UPDATE TRACK 3"),
  19: declined("RE-ENTER TRANSACTION"),
  21: declined("NO ACTION TAKEN"),
  25: declined("ORIGINAL NOT FOUND"),
  30: declined("FORMAT ERROR"),
  31: declined("BANK NOT SUPPORTED"),
  33: declined("EXPIRED CARD, PICK UP"),
  34: declined("SUSPECTED FRAUD, PICK UP"),
  36: declined("RESTRICTED CARD, PICK UP"),
  38: declined("PIN TRIES EXCEEDED, PICK UP"),
  39: declined("NO CREDIT ACCOUNT"),
  40: declined("FUNCTION NOT SUPPORTED"),
  41: declined("LOST CARD"),
  43: declined("STOLEN CARD"),
  46: declined("CLOSED ACCOUNT"),
  51: declined("INSUFFICIENT FUNDS"),
  52: declined("NO CHECKING ACCOUNT"),
  53: declined("NO SAVINGS ACCOUNT"),
  54: declined("EXPIRED CARD"),
  55: declined("INCORRECT PIN"),
  57: declined("NOT PERMITTED TO CARDHOLDER"),
  58: declined("NOT PERMITTED TO TERMINAL"),
  59: declined("SUSPECTED FRAUD"),
  61: declined("EXCEEDS AMOUNT LIMIT"),
  62: declined("RESTRICTED CARD"),
  63: declined("SECURITY VIOLATION"),
  64: declined("AMOUNT DIFFERS FROM ORIGINAL"),
  65: declined("EXCEEDS FREQUENCY LIMIT"),
  68: unclear("RESPONSE RECEIVED TOO LATE"),
  70: declined("CONTACT CARD ISSUER"),
  75: declined("PIN TRIES EXCEEDED"),
  78: declined("CARD NOT ACTIVE"),
  82: declined("CVV MISMATCH"),
  91: declined("ISSUER UNAVAILABLE"),
  92: declined("ISSUER NOT FOUND FOR ROUTING"),
  93: declined("VIOLATION OF LAW"),
  94: unclear("DUPLICATE TRANSMISSION"),
  96: declined("SYSTEM MALFUNCTION"),
  N7: declined("CVV MISMATCH"),
  A1: declined("ALREADY SETTLED: USE REFUND"),
  A2: declined("NOT SETTLED YET: USE VOID"),
};

/** A void came too late: its money has settled. */
export const ALREADY_SETTLED = "A1";

/** To a reversal: taken back; nothing was done about it; there is no such charge. */
export const REVERSAL_CONFIRMED: ReadonlySet<string> = new Set(["00", "21", "25"]);

/** A code that is in no list has no known meaning, and nobody may guess one. */
export const responseCode = (code: string): ResponseCode =>
  Object.hasOwn(RESPONSE_CODES, code)
    ? (RESPONSE_CODES[code] ?? unclear("UNKNOWN RESPONSE CODE"))
    : unclear("UNKNOWN RESPONSE CODE");
