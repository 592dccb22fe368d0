// What a command on cards on file works with: the vault under the gateways' keys, their fingerprints, and the merchants' processors.

import type { CardCaller, CardsOnFile } from "../gateway/cards-on-file.ts";
import { fingerprints } from "../gateway/fingerprints.ts";
import { type ProcessorsAtWork, processorsAtWork } from "../gateway/processors-at-work.ts";
import type { Author, Backoffice } from "../merchants/backoffice.ts";
import { findMerchant } from "../merchants/merchants.ts";
import { processorLookup } from "../merchants/processor-lookup.ts";
import { findUser } from "../merchants/users.ts";
import { PROCESSOR_KINDS } from "../processors/kinds.ts";
import { newId } from "../uuid.ts";
import { vault } from "../vault/vault.ts";
import { dataKeysOfCommand } from "./command-secrets.ts";
import { secretOfCommand, withOffice } from "./office.ts";
import { partsFor } from "./processor-check-command.ts";
import { Refused } from "./refused.ts";

export interface CardsOfCommand extends CardsOnFile {
  readonly parts: CardsOnFile["parts"] & { readonly processors: ProcessorsAtWork };
}

/** For commands that store cards: with the secret and the master key that the gateways of this database use. */
export function withCards<T>(work: (cards: CardsOfCommand, author: Author) => Promise<T>): Promise<T> {
  return withOffice(async (office, author, settings) => {
    const { sql, clock, secrets } = office;
    const fingerprintOf = fingerprints(await secretOfCommand(sql, settings));
    const keys = await dataKeysOfCommand(sql, settings, () => clock.now());
    const processors = processorsAtWork(processorLookup(sql, secrets), PROCESSOR_KINDS, partsFor(clock));
    // A command is no request that comes again with its key.
    const journal = { findKey: async () => undefined };
    const parts = { journal, processors, vault: vault(keys), clock, newId: () => newId(clock.now()), fingerprintOf };
    try {
      return await work({ parts, office }, author);
    } finally {
      await processors.close();
    }
  });
}

/** In whose name cards are stored. @throws Refused where the merchant has no such user */
export async function callerOf(
  { sql }: Pick<Backoffice, "sql">,
  author: Author,
  merchantId: string,
  userId: string,
): Promise<CardCaller> {
  await refuseUnknownMerchant(sql, merchantId);
  const user = await findUser(sql, merchantId, userId);
  if (user === undefined) throw new Refused(`this merchant has no user ${userId}`, { code: "not-found" });
  return { merchantId, userId: user.id, author };
}

/** @throws Refused: an empty list of a merchant that is not there would say that it has no cards */
export async function refuseUnknownMerchant(sql: Backoffice["sql"], merchantId: string): Promise<void> {
  if ((await findMerchant(sql, merchantId)) === undefined)
    throw new Refused(`there is no merchant ${merchantId}`, { code: "not-found" });
}
