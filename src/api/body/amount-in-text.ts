// Whether a text mentions an amount, however it is written: in another case or width, percent-encoded (also twice), with the escapes of
// JSON or XML, in UTF-16, in Base64. A follow-up without an amount takes all that remains, so such a text may not be ignored (decision R4).

/** Each round undoes one encoding; nobody's libraries encode more often. */
const MOST_ROUNDS = 6;

export function mentionsAmount(text: string): boolean {
  let plain = text;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    if (folded(plain).includes("amount") || isInBase64(plain)) return true;
    const next = decodedOnce(plain);
    if (next === plain) return false;
    plain = next;
  }
  return folded(plain).includes("amount");
}

/** Of a word that encodes `amount` at least so much is there. Also the alphabet of addresses and tokens (RFC 4648, section 5). */
const BASE64 = /[\w+/-]{8,}/g;

/** Function platforms and queues hand on whole bodies like that. */
const isInBase64 = (text: string): boolean =>
  (text.match(BASE64) ?? []).some((run) => folded(Buffer.from(run, "base64").toString("utf8")).includes("amount"));

const PLAIN = /^[\x20-\x7e]*$/;

/** Without accents, width, case, control characters and characters that do not show. */
const folded = (text: string): string =>
  (PLAIN.test(text) ? text : text.normalize("NFKD").replace(/[\p{M}\p{C}]/gu, "")).toLowerCase();

// `%u0061` is what JavaScript's escape() writes.
const ENCODED =
  /%u([0-9a-f]{4})|(?:%[0-9a-f]{2})+|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|&#x0{0,9}([0-9a-f]{1,4});|&#0{0,9}([0-9]{1,5});/gi;

function decodedOnce(text: string): string {
  if (!/[%\\&]/.test(text)) return text;
  return text.replace(ENCODED, (encoded, ...[escaped, json, byte, hex, decimal]: (string | undefined)[]) => {
    if (encoded.startsWith("%") && escaped === undefined)
      return Buffer.from(encoded.replaceAll("%", ""), "hex").toString("utf8");
    const code = Number.parseInt(escaped ?? json ?? byte ?? hex ?? decimal ?? "", decimal === undefined ? 16 : 10);
    return String.fromCharCode(code);
  });
}
