// A challenge: the payer has to authenticate in a browser before the processor decides on a charge. Until then the charge has no outcome. It
// ends by the first of three: the payer comes back, the processor tells how it ended, or it is asked. After the expiry the charge is given up
// and taken back. Pure.

/** Written when the processor asks for it, and never changed. */
export interface Challenge {
  /** The gateway's own address, to which the merchant sends the payer. */
  readonly checkoutUrl: string;
  readonly page: ChallengePage;
  readonly expiresAt: Date;
}

/** Where the payer authenticates. */
export interface ChallengePage {
  readonly url: string;
  /** Present: they are posted there as a form. Otherwise it is a link. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** The last part of the address of the page that the gateway serves for its simulator. */
export const SIMULATED_PAGE = "challenge";

export const DEFAULT_CHALLENGE_MINUTES = 30;
/** Processors keep a payment that waits for its payer for some hours. */
export const MOST_CHALLENGE_MINUTES = 240;

/** From its expiry on. */
export const isExpired = ({ expiresAt }: Challenge, now: Date): boolean => now >= expiresAt;

/**
 * - `ends`: this is how it ended
 * - `waits`: for the payer, or for an end that the processor has announced
 * - `asked-again`: nobody knows more than before
 * - `given-up`: the payer did not authenticate in time
 */
export type ChallengeFollows = "ends" | "waits" | "asked-again" | "given-up";

/** What the processor said of the charge when it was asked; undefined: it cannot be asked. */
export type SaidOfChallenge =
  | "approved"
  | "declined"
  | "pending"
  | "action-required"
  | "undecided"
  | "unknown"
  | "unanswered"
  | "not-sent"
  | undefined;

/** What follows while the charge has no outcome. Silence is never a no, not even after the expiry. */
export function followsFromChallenge(said: SaidOfChallenge, expired: boolean): ChallengeFollows {
  switch (said) {
    case "approved":
    case "declined":
      return "ends";
    // The payer has done all that was wanted.
    case "pending":
      return "waits";
    case "unanswered":
    case "not-sent":
      return "asked-again";
    case "action-required":
    case "undecided":
    case "unknown":
    case undefined:
      return expired ? "given-up" : "waits";
  }
}

const FIRST_LOOK_MS = 60_000;
const LONGEST_PAUSE_MS = 900_000;

/**
 * When the processor is asked next, of its own accord: a return and a notification come sooner, most often. At the expiry in any case.
 * @param looks so many times it was asked
 */
export function nextLook({ expiresAt }: Challenge, now: Date, looks: number): Date {
  const pauseMs = Math.min(FIRST_LOOK_MS * 2 ** Math.min(looks, 10), LONGEST_PAUSE_MS);
  const next = new Date(now.getTime() + pauseMs);
  return now < expiresAt && expiresAt < next ? expiresAt : next;
}

/** Where payers may be sent: encrypted, or on this machine. */
export function isPayerAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url !== undefined && url.username === "" && url.password === "" && (url.protocol === "https:" || isLoopback(url))
  );
}

/** Http on this machine. */
export const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

export interface ReturnRules {
  /** Host names, each with its port unless it is 443. */
  readonly hosts: readonly string[];
  /** Whether http is allowed on this machine: in the sandbox. */
  readonly loopback: boolean;
}

const OURS = ["transaction_id", "status", "signature"];

/** What is wrong with an address to which payers are to come back; undefined if nothing is. */
export function wrongWithReturnUrl(text: string, { hosts, loopback }: ReturnRules): string | undefined {
  // What is read otherwise by a browser than it looks: spaces, control characters, backslashes.
  if (!/^[!-~]+$/.test(text) || /[\\"<>^`{|}]/.test(text) || !URL.canParse(text))
    return "must be an address such as https://shop.example/paid";
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return "must not hold a user name or a password";
  if (text.includes("#")) return "must have no fragment (#…)";
  const own = OURS.find((name) => url.searchParams.has(name));
  if (own !== undefined) return `must have no parameter ${own}: the gateway adds it`;
  if (loopback && isLoopback(url)) return undefined;
  if (url.protocol !== "https:") return "must begin with https://";
  if (!hosts.includes(url.host))
    return "must be on one of the merchant's return_hosts: an operator adds the host there";
  return undefined;
}

/** The address with what the gateway tells there. */
export function returnAddress(
  returnUrl: string,
  told: { readonly transactionId: string; readonly status: string; readonly signature: string },
): string {
  const query = new URLSearchParams({
    transaction_id: told.transactionId,
    status: told.status,
    signature: told.signature,
  });
  return `${returnUrl}${returnUrl.includes("?") ? "&" : "?"}${query}`;
}
