// HMAC-SHA-256 with WebCrypto, which compares in constant time.

/** @param signature Base64, that for addresses included */
export async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  key: Uint8Array<ArrayBuffer>,
  signature: string,
): Promise<boolean> {
  const given = bytesOf(signature.replaceAll("-", "+").replaceAll("_", "/"));
  const { subtle } = crypto;
  const imported = await subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  return given !== undefined && (await subtle.verify("HMAC", imported, given, signed));
}

/** Undefined if it is no Base64. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
