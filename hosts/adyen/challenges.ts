// Challenges: payments whose payer has to authenticate, and what the payer brings back from the page. They are in this process' memory only.
// docs.adyen.com/online-payments/3d-secure/redirect-3ds2

import { createHmac, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Choice, sendAbandoned, sendBack, sendChallengePage, sendNothing } from "../challenge-page.ts";
import type { Challenge, Decision, Terms } from "./decide.ts";

export class Challenges {
  readonly #open = new Map<string, Challenge>();
  readonly #ended = new Map<string, Decision>();
  readonly #key = randomBytes(32);
  /** Set once it is known. */
  origin = "";

  readonly terms: Pick<Terms, "challenge" | "ends"> = {
    challenge: (challenge) => {
      const id = randomBytes(12).toString("hex");
      this.#open.set(id, challenge);
      return { id, url: `${this.origin}/challenge/${id}` };
    },
    ends: (redirectResult) => {
      const [id = "", choice = "", signature] = redirectResult.split(".");
      const challenge = this.#open.get(id);
      if (challenge === undefined || signature !== this.#signatureOf(id, choice)) return undefined;
      const before = this.#ended.get(id);
      // The money moves once, whatever is asked again.
      if (before !== undefined) return { ...before, effect: null, item: null };
      const decision = choice === "pass" ? challenge.passed : challenge.refused;
      this.#ended.set(id, decision);
      return decision;
    },
  };

  /** What a payer brings back who chose this. */
  resultOf(id: string, choice: Choice): string {
    return `${id}.${choice}.${this.#signatureOf(id, choice)}`;
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    const [, id = "", choice = ""] = /^\/challenge\/(\w+)(?:\/(pass|fail|abandon))?$/.exec(request.url ?? "") ?? [];
    const challenge = this.#open.get(id);
    if (challenge === undefined) sendNothing(response);
    else if (choice === "") {
      const { value, currency } = challenge.amount;
      sendChallengePage(response, `/challenge/${id}`, `${value} ${currency}`);
    } else if (choice === "abandon") sendAbandoned(response);
    else sendBack(response, challenge.returnUrl, { redirectResult: this.resultOf(id, choice as Choice) });
  }

  #signatureOf(id: string, choice: string): string {
    return createHmac("sha256", this.#key).update(`${id} ${choice}`).digest("hex");
  }
}
