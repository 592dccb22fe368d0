// Numbers as they stand in merchants' requests, made by a seed: innocent ones of many kinds, each in the places where it
// stands in life, and card numbers hidden in as many ways. Made by what is published of each kind, not by the rule.

import { BRAND_RANGES, type CardBrand } from "./card-brand.ts";

export interface Placed {
  readonly place: "free text" | "identifier" | "meta";
  /** Of the field of meta. */
  readonly name?: string;
  /** As JSON has it: a number without quotes. */
  readonly literal?: boolean;
  readonly text: string;
}

export interface Chance {
  /** From 0 to below this. */
  readonly below: (limit: number) => number;
  readonly digits: (count: number) => string;
  readonly one: <T>(of: readonly T[]) => T;
}

/** Mulberry32: small, and the same everywhere. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    digits: (count) => Array.from({ length: count }, () => below(10)).join(""),
    one: <T>(of: readonly T[]) => of[below(of.length)] as T,
  };
}

const inMeta = (name: string, text: string): Placed => ({ place: "meta", name, text });
const inText = (text: string): Placed => ({ place: "free text", text });
const asNumber = (name: string, text: string): Placed => ({ place: "meta", name, literal: true, text });
const identifier = (text: string): Placed => ({ place: "identifier", text });

const pad = (value: number, width: number) => String(value).padStart(width, "0");
const grouped = (text: string, sizes: readonly number[], separator: string): string => {
  const groups: string[] = [];
  let at = 0;
  for (const size of sizes) {
    if (at < text.length) groups.push(text.slice(at, at + size));
    at += size;
  }
  return groups.join(separator);
};
const inFours = (text: string, separator: string) => grouped(text, [4, 4, 4, 4, 4, 4, 4, 4, 4], separator);

/** GS1 General Specifications, section 7.9. */
const withGs1Digit = (digits: string): string => {
  const sum = [...digits].reduceRight(
    (total, digit, at) => total + Number(digit) * ((digits.length - at) % 2 === 1 ? 3 : 1),
    0,
  );
  return digits + String((10 - (sum % 10)) % 10);
};
const withLuhnDigit = (digits: string): string => {
  const sum = [...digits].reduceRight((total, digit, at) => {
    const value = Number(digit) * ((digits.length - at) % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return digits + String((10 - (sum % 10)) % 10);
};

/** How IBANs are made up behind their check digits (the registry of SWIFT): n digits, a letters, c either. */
const IBANS = [
  ...[
    "DE 18n",
    "FR 10n11c2n",
    "GB 4a14n",
    "ES 20n",
    "IT 1a10n12c",
    "NL 4a10n",
    "BE 12n",
    "AT 16n",
    "CH 5n12c",
    "PL 24n",
    "PT 21n",
  ],
  ...[
    "SE 20n",
    "NO 11n",
    "DK 14n",
    "FI 14n",
    "IE 4a14n",
    "LU 3n13c",
    "CZ 20n",
    "HU 24n",
    "RO 4a16c",
    "GR 7n16c",
    "EE 16n",
  ],
  ...["LT 16n", "LV 4a13c", "SK 20n", "SI 15n", "HR 17n", "TR 5n1n16c", "SA 2n18c", "AE 19n", "IL 19n", "BR 23n1a1c"],
];
function iban({ one, digits, below }: Chance): string {
  const [country = "", shape = ""] = one(IBANS).split(" ");
  const account = [...shape.matchAll(/(\d+)([nac])/g)].map(([, count, kind]) =>
    kind === "n"
      ? digits(Number(count))
      : Array.from({ length: Number(count) }, () => letterOr(kind === "c", below)).join(""),
  );
  const body = account.join("");
  const value = [...`${body}${country}00`].map((char) => Number.parseInt(char, 36)).join("");
  return country + pad(98 - Number(BigInt(value) % 97n), 2) + body;
}
// National account numbers hold more digits than letters, also where letters are allowed.
const letterOr = (orDigit: boolean, below: Chance["below"]) =>
  orDigit && below(10) < 9 ? String(below(10)) : String.fromCharCode(65 + below(26));

const AIRLINES =
  "001 006 014 016 018 020 027 037 043 045 047 050 053 055 057 064 065 071 074 075 077 080 081 082 083 086 098 101 105 108 " +
  "117 125 126 127 131 139 157 160 172 176 180 182 189 195 205 217 220 229 230 232 235 239 257 266 279 281 297 312 324 390 " +
  "401 421 464 479 512 526 544 549 555 566 577 589 607 618 624 657 668 672 695 724 731 738 774 781 784 802 831 838 851 876 880 " +
  "910 930 957 960 988 996 997 999";
const airlines = AIRLINES.split(" ");
function ticket({ one, digits, below }: Chance): string {
  const number = one(airlines) + digits(10);
  return below(2) === 0 ? number : number + String(Number(BigInt(number.slice(3)) % 7n));
}

const hex = ({ below }: Chance, length: number) => Array.from({ length }, () => below(16).toString(16)).join("");
const uuid = (chance: Chance) => grouped(hex(chance, 32), [8, 4, 4, 4, 12], "-");
/** From 2015 to 2035, in seconds. */
const second = ({ below }: Chance) => 1_420_070_400 + below(20 * 365 * 86_400);
const NUMBER_WORDS = [
  "Tracking",
  "Tracking number",
  "FedEx",
  "UPS",
  "DHL",
  "USPS tracking no.",
  "Parcel",
  "Shipment",
  "Sendung",
];

function trackingNumber({ one, digits, below }: Chance): string {
  const mod10 = (first: string, length: number) => withGs1Digit(first + digits(length - first.length - 1));
  return one([
    () => `1Z${digits(6)}${digits(10)}`,
    () => digits(12),
    () => withGs1Digit(digits(14)),
    () => mod10(one(["02", "61", "96"]), 20),
    () => digits(10),
    () => `JJD${digits(18)}`,
    () => mod10(one(["9400", "9205", "9361", "9405", "9274", "9303", "9208", "9202", "9270"]), 22),
    () => inFours(mod10(one(["9400", "9205", "9361", "9405"]), 22), " "),
    () => mod10(String(70 + below(8)), 20),
    () => `${one(["RR", "CP", "LX", "EE"])}${digits(9)}${one(["DE", "GB", "CN", "US"])}`,
  ])();
}

const CITIES = [
  "Montréal QC H2X 1Y4",
  "75008 Paris",
  "10115 Berlin",
  "London SW1A 1AA",
  "New York, NY 10118-0110",
  "1010 Wien",
];
const STREETS = ["Main St", "Rue Sainte-Catherine O", "Hauptstraße", "Calle de Alcalá", "Queen St W"];

const amountOf = ({ below }: Chance) => (below(5_000_000) / 100).toFixed(2);
const day = (chance: Chance) => new Date(second(chance) * 1000).toISOString().slice(0, 10);

/** A kind, and how one of it is made. */
export const INNOCENTS: Readonly<Record<string, (chance: Chance) => Placed>> = {
  "floats of programs": (chance) => {
    const { below, one, digits } = chance;
    const float = one([
      () => String((below(1e9) + 1) / (below(1e9) + 7)),
      () => String(below(1e6) / 1e3 + below(1e6) / 1e9 / 7),
      () => `0.${digits(16)}`,
      () => String(Math.sqrt(below(1e9))),
      () => String((below(10) / 10) * 3 + 0.1 + 0.2),
    ])();
    const name = one(["score", "ratio", "weight", "fx_rate", "risk", "total"]);
    return below(4) === 0 ? inMeta(name, float) : asNumber(name, float);
  },
  "IBANs, plain and printed": (chance) => {
    const text = iban(chance);
    const shown = chance.below(2) === 0 ? text : inFours(text, " ");
    const where = chance.below(3);
    if (where === 0) return inMeta("iban", shown);
    return where === 1 ? inMeta("note", `Refund to ${shown}, please`) : inText(shown);
  },
  "ticket numbers of 13 and 14 digits": (chance) => {
    const number = ticket(chance);
    const shown = chance.one([
      number,
      number,
      `${number.slice(0, 3)}-${number.slice(3)}`,
      `${number.slice(0, 3)} ${number.slice(3)}`,
    ]);
    return chance.one([
      identifier(shown),
      inMeta("e_ticket", shown),
      inMeta("note", shown),
      inText(shown),
      inText(`E-ticket ${shown}`),
    ]);
  },
  "order numbers of marketplaces": (chance) => {
    const { digits, one, below } = chance;
    const number = one([
      () => grouped(one(["1", "2", "3", "4", "5", "7"]) + digits(16), [3, 7, 7], "-"),
      () => grouped(digits(12), [2, 5, 5], "-"),
      () => one(["80", "81", "82", "30"]) + digits(14),
      () => digits(16),
      () => `${digits(10)}`,
      () => `${digits(8)}-${digits(4)}`,
      () => one(["5", "1"]) + digits(17),
    ])();
    const bare = /^\d{16}$/.test(number);
    return one([
      identifier(number),
      inMeta(
        one(["order_id", "orderNumber", "marketplace_order_no", "amazonOrderId", "purchase_order_number"]),
        number,
      ),
      bare ? inText(`Order number ${number}`) : inText(below(2) === 0 ? number : `Order ${number}`),
    ]);
  },
  "sixteen random digits as an order number": (chance) => identifier(chance.digits(16)),
  "customer and user numbers": ({ digits, one, below }) =>
    one([
      inMeta("customer_number", digits(16)),
      inMeta("userId", digits(13 + below(7))),
      asNumber("customerId", `4${digits(15)}`),
    ]),
  "phone numbers": (chance) => {
    const { digits, one, below } = chance;
    const [code = "", length = 9] = one<[string, number]>([
      ...([
        ["1", 10],
        ["49", 10],
        ["49", 11],
        ["44", 10],
        ["33", 9],
        ["34", 9],
        ["39", 10],
        ["43", 11],
      ] as [string, number][]),
      ...([
        ["55", 11],
        ["62", 11],
        ["36", 9],
        ["380", 9],
        ["30", 10],
        ["81", 10],
        ["86", 11],
        ["52", 10],
      ] as [string, number][]),
    ]);
    const number = digits(length);
    const shown = one([
      `+${code}${number}`,
      `${code}${number}`,
      `00${code}${number}`,
      `+${code} ${grouped(number, [3, 3, 4, 4], " ")}`,
      `+${code} ${grouped(number, [2, 2, 2, 2, 2, 2], " ")}`,
      `+${code} (0) ${grouped(number, [3, 8], " ")}`,
      `+${code}-${grouped(number, [4, 4, 4], "-")}`,
    ]);
    return below(2) === 0 ? inText(shown) : inMeta(one(["phone", "contact"]), shown);
  },
  "times of clocks": (chance) => {
    const { digits, one, below } = chance;
    const time = String(second(chance));
    const iso = new Date(Number(time) * 1000).toISOString();
    const shown = one([
      time + digits(3),
      time + digits(6),
      time + digits(9),
      iso,
      iso.replaceAll(/\D/g, ""),
      iso.replaceAll(/\D/g, "").slice(0, 14),
      `${iso.slice(0, 10)} ${iso.slice(11, 19)}`,
      `${iso.slice(0, 10).replaceAll("-", "")}${digits(8)}`,
    ]);
    const name = one(["created", "t", "sent_at", "expires"]);
    return /^\d{13,16}$/.test(shown) && below(2) === 0 ? asNumber(name, shown) : inMeta(name, shown);
  },
  "UUIDs, hashes, tokens": (chance) =>
    inMeta(
      chance.one(["session", "fingerprint", "trace", "cart"]),
      chance.one([
        () => uuid(chance),
        () => hex(chance, 32),
        () => hex(chance, 40),
        () => hex(chance, 64),
        () => hex(chance, 24),
        () => hex(chance, 16),
      ])(),
    ),
  "numbers of articles and pallets": (chance) => {
    const { digits, one, below } = chance;
    const country = one([
      "400",
      "401",
      "403",
      "426",
      "50",
      "57",
      "59",
      "62",
      "69",
      "690",
      "695",
      "30",
      "37",
      "45",
      "49",
      "54",
      "87",
      "93",
      "00",
      "01",
      "06",
    ]);
    const thirteen = withGs1Digit(country + digits(12 - country.length));
    const indicator = one(["1", "1", "1", "1", "2", "3", "5", "0"]);
    const shown = one([
      thirteen,
      withGs1Digit(indicator + thirteen.slice(0, 12)),
      withGs1Digit(String(below(10)) + thirteen.slice(0, 12) + digits(4)),
    ]);
    return one([inMeta("ean", shown), inMeta("item", shown), inText(`2x ${shown}`)]);
  },
  "tracking numbers": (chance) => {
    const number = trackingNumber(chance);
    const { one } = chance;
    return one([
      inMeta(one(["tracking_number", "trackingNumber", "awb", "shipment_id"]), number),
      inText(`${one(NUMBER_WORDS)} ${number}`),
      inMeta("note", `Sent today with ${one(NUMBER_WORDS)}: ${number}, thank you`),
      identifier(number),
      inMeta("delivery", number),
    ]);
  },
  "addresses and postal codes": (chance) => {
    const { below, one } = chance;
    return inText(
      `${1 + below(9_999)}${one(["", "a", "-12", "/3"])} ${one(STREETS)}, Apt ${1 + below(2_000)}, ${one(CITIES)}`,
    );
  },
  "snowflake ids": (chance) => {
    const { below, one, digits } = chance;
    const since = (epoch: number) =>
      String(((BigInt(second(chance)) * 1000n - BigInt(epoch)) << 22n) | BigInt(below(2 ** 22)));
    const id = one([
      () => since(1_288_834_974_657),
      () => since(1_420_070_400_000),
      () => String(1 + below(9)) + digits(17),
    ])();
    const large = id.startsWith("-") ? id.slice(1) : id;
    return one([inMeta("message", large), inMeta("discord_user_id", large), inText(large), identifier(large)]);
  },
  "IMEIs of phones": ({ digits, one }) => {
    const imei = withLuhnDigit(one(["35", "35", "35", "35", "86", "86", "01", "99"]) + digits(12));
    const shown = one([imei, imei, `${imei.slice(0, 2)}-${imei.slice(2, 8)}-${imei.slice(8, 14)}-${imei.slice(14)}`]);
    return one([inMeta("imei", shown), inMeta("device", shown), inText(`Repair of ${shown}`)]);
  },
  coordinates: (chance) => {
    const { below, one, digits } = chance;
    const place = () => `${below(2) === 0 ? "-" : ""}${below(180)}.${digits(one([4, 6, 7, 13, 14, 15]))}`;
    return one([
      inMeta("location", `${place()},${place()}`),
      inMeta("position", `${place()}, ${place()}`),
      asNumber("latitude", place()),
      inText(place()),
    ]);
  },
  "texts of invoices": (chance) => {
    const { below, digits, one } = chance;
    return inText(
      one([
        `Invoice ${digits(6)} of ${day(chance)}: ${amountOf(chance)} EUR, due ${day(chance)}`,
        `RE-${day(chance).slice(0, 4)}-${digits(5)} 1.234.${digits(3)},${digits(2)} € ${digits(8)}`,
        `${1 + below(9)} x ${amountOf(chance)} + ${amountOf(chance)} = ${amountOf(chance)} USD (${day(chance)})`,
        `Stay ${day(chance)} to ${day(chance)}, room ${digits(3)}, VAT ${one(["DE", "FR", "ATU"])}${digits(9)}`,
        `Totals: 1,${digits(3)},${digits(3)},${digits(3)} / 2,${digits(3)},${digits(3)} / ${amountOf(chance)}`,
      ]),
    );
  },
};

/** As issuers give numbers out: mostly sixteen digits; UATP beside the brands. */
const LENGTHS: Readonly<Record<CardBrand | "uatp", readonly number[]>> = {
  visa: [16],
  mastercard: [16],
  amex: [15],
  discover: [16],
  diners: [14, 14, 14, 16],
  jcb: [16],
  unionpay: [16, 16, 19],
  maestro: [16, 16, 16, 19],
  elo: [16],
  hipercard: [16],
  unknown: [16],
  uatp: [15],
};

export function cardNumberOf({ one, digits, below }: Chance): string {
  const [brand, ranges] = below(12) === 0 ? (["uatp", "1"] as const) : one(BRAND_RANGES);
  const [from = "", to = from] = one(ranges.split(" ").filter((range) => range !== "1800" && range !== "2131")).split(
    "-",
  );
  const prefix = String(Number(from) + below(Number(to) - Number(from) + 1));
  return withLuhnDigit(prefix + digits(one(LENGTHS[brand]) - prefix.length - 1));
}

/** As it is embossed. */
const printed = (number: string, separator: string) =>
  number.length === 15
    ? grouped(number, number.startsWith("1") ? [4, 5, 6] : [4, 6, 5], separator)
    : number.length === 14
      ? grouped(number, [4, 6, 4], separator)
      : inFours(number, separator);

const anywhere = (chance: Chance, text: string): Placed =>
  chance.one([
    inText(text),
    inMeta(chance.one(["note", "comment", "info", "x", "order", "reference", "customer", "payment", "data"]), text),
    inText(`Please charge ${text}, thanks`),
    inText(`${chance.one(["Jane Doe", "my number", "Card", "Visa:", "no."])} ${text}`),
  ]);

const fullWidth = (text: string) => text.replaceAll(/[0-9]/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
const expiryOf = ({ below, one }: Chance, separator: string) => {
  const [month, year] = [pad(1 + below(12), 2), pad(26 + below(10), 2)];
  return one([month + separator + year, year + separator + month, `${month}${separator}20${year}`]);
};

export const HIDDEN: Readonly<Record<string, (chance: Chance) => Placed>> = {
  "in one piece": (chance) => anywhere(chance, cardNumberOf(chance)),
  "with spaces and dashes": (chance) =>
    anywhere(chance, printed(cardNumberOf(chance), chance.one([" ", "-", " - ", "\u00a0"]))),
  "with dots, underscores, slashes, commas": (chance) =>
    anywhere(chance, printed(cardNumberOf(chance), chance.one([".", "_", "/", ",", ", ", "|", "*"]))),
  "with several spaces, lines, dashes of typography": (chance) =>
    anywhere(
      chance,
      printed(cardNumberOf(chance), chance.one(["  ", "   ", "    ", "\n", "\t", "\u2212", "–", "—", "‑"])),
    ),
  "run together with its expiry": (chance) =>
    anywhere(chance, cardNumberOf(chance) + expiryOf(chance, "") + chance.one(["", "", chance.digits(3)])),
  "beside its expiry and CVV": (chance) => {
    const number = cardNumberOf(chance);
    const shown = chance.below(2) === 0 ? number : printed(number, " ");
    return anywhere(
      chance,
      `${shown}${chance.one([" ", ", ", " exp "])}${expiryOf(chance, chance.one(["/", "-", " "]))} ${chance.digits(3)}`,
    );
  },
  "behind a plus or glued to letters": (chance) => {
    const number = cardNumberOf(chance);
    return anywhere(
      chance,
      chance.one([`+${number}`, `x${number}x`, `PAN${number}`, `#${number}`, `order-${number}`, `${number}=2912101`]),
    );
  },
  "in other digits, or with characters without width": (chance) => {
    const number = printed(cardNumberOf(chance), chance.one(["", " ", "-"]));
    return anywhere(
      chance,
      chance.one([fullWidth(number), [...number].join("\u200b"), number.replace("-", "\u2010"), `\ufeff${number}`]),
    );
  },
  "as a number in JSON": (chance) => {
    const number = cardNumberOf(chance);
    return asNumber(chance.one(["note", "number", "value", "card"]), chance.one([number, number, `${number}.0`]));
  },
  "in a document within a text": (chance) => {
    const number = cardNumberOf(chance);
    return anywhere(
      chance,
      chance.one([
        `{"pan":"${number}"}`,
        `<pan>${number}</pan>`,
        `number=${number}&exp=1229`,
        `1,${number},12,29`,
        `B${number}^DOE/JANE^2912`,
      ]),
    );
  },
};
