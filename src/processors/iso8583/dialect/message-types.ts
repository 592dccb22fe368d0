// The types of message as data: which fields each one carries. A field that is not named here may still come with an
// answer, as hosts echo more or less of the question; it is then not looked at.

import type { MessageType } from "../codec/dialect.ts";

const CARD_ACCEPTOR = [41, 42] as const;
const CHARGE = {
  required: [2, 3, 4, 7, 11, 12, 13, 14, 22, 25, 32, 37, ...CARD_ACCEPTOR, 43, 49],
  optional: [48, 102],
} as const;
const FOLLOW_UP = {
  required: [3, 4, 7, 11, 12, 13, 22, 25, 32, 37, ...CARD_ACCEPTOR, 48, 49, 90],
  optional: [2, 14, 38, 63],
} as const;
const REVERSAL = {
  required: [3, 4, 7, 11, 12, 13, 22, 25, 32, 37, ...CARD_ACCEPTOR, 49, 90],
  optional: [2, 14, 48],
} as const;
const ANSWER = { required: [3, 4, 7, 11, 37, 39, 41, 49], optional: [12, 13, 32, 38, 42, 44, 63] } as const;
const NETWORK = { required: [7, 11, 70], optional: [] } as const;

export const MESSAGE_TYPES = {
  "0100": { name: "Authorization request: an auth", ...CHARGE },
  "0110": { name: "Answer to 0100", ...ANSWER },
  "0200": {
    name: "Financial request: a sale (processing code 000000) or a refund (200000)",
    required: CHARGE.required.filter((field) => field !== 2 && field !== 14 && field !== 43),
    optional: [2, 14, 38, 43, 48, 63, 90, 102],
  },
  "0210": { name: "Answer to 0200", ...ANSWER },
  "0220": { name: "Financial advice: a capture", ...FOLLOW_UP },
  "0221": { name: "Repeat of a 0220", ...FOLLOW_UP },
  "0230": { name: "Answer to 0220 and 0221", ...ANSWER },
  "0400": { name: "Reversal request: a void", ...FOLLOW_UP },
  "0401": { name: "Repeat of a 0400", ...FOLLOW_UP },
  "0410": { name: "Answer to 0400 and 0401", ...ANSWER },
  "0420": { name: "Reversal advice: takes back a charge that was never answered", ...REVERSAL },
  "0421": { name: "Repeat of a 0420", ...REVERSAL },
  "0430": { name: "Answer to 0420 and 0421", ...ANSWER },
  "0800": { name: "Network management: sign-on (001), sign-off (002), echo (301)", ...NETWORK },
  "0810": { name: "Answer to 0800", required: [7, 11, 39, 70], optional: [] },
} as const satisfies Readonly<Record<string, MessageType>>;
