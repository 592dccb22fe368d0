// Random words for people to type: first passwords and recovery codes. Letters and digits that are not mistaken for others.

import { hash, randomBytes } from "node:crypto";

const ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";

/** `kzq7-…`: groups of characters with nearly five random bits each. */
function spokenCode(groups: number, charactersEach: number): string {
  const characters: string[] = [];
  while (characters.length < groups * charactersEach)
    for (const byte of randomBytes(groups * charactersEach)) {
      // The others would make the first letters likelier.
      if (byte < ALPHABET.length * 8) characters.push(ALPHABET.charAt(byte % ALPHABET.length));
    }
  const at = (group: number) => characters.slice(group * charactersEach, (group + 1) * charactersEach).join("");
  return Array.from({ length: groups }, (_, group) => at(group)).join("-");
}

/** 99 bits: nobody guesses one. */
export const newPassword = (): string => spokenCode(4, 5);

const FIRST_PASSWORD = new RegExp(`^[${ALPHABET}]{5}(-[${ALPHABET}]{5}){3}$`);
/** Whether it has the form of one. */
export const isFirstPassword = (text: string): boolean => FIRST_PASSWORD.test(text);

const RECOVERY_CODES = 10;
/** 79 bits each, so that their hash needs no stretching. */
export const newRecoveryCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, () => spokenCode(4, 4));

/** Capitals, blanks and other dashes do no harm. */
export const hashOfRecoveryCode = (code: string): Buffer =>
  hash("sha256", code.toLowerCase().replace(/[^a-z0-9]/g, ""), "buffer");
