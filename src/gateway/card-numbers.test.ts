import assert from "node:assert/strict";
import { test } from "node:test";
import { idOf, installation, record } from "../../test/gateway-in-memory.ts";
import { cardNumber } from "../payment/card.ts";
import { CardNotSealed, sealedCard, termsOfListed } from "./card-numbers.ts";
import type { ProcessorAtWork } from "./processors-at-work.ts";

const [PLAIN, KEEPING] = [record(), record()];
const { charge, find, parts } = installation([PLAIN, KEEPING]).join();

const isKeeping = (atWork: ProcessorAtWork): ProcessorAtWork =>
  atWork.record.id === KEEPING.id ? { ...atWork, processor: { ...atWork.processor, keepsCardNumber: true } } : atWork;
const atWork = async () => (await parts.processors.of(PLAIN.merchantId)).map(isKeeping);

test("a card number is sealed if any processor that may be asked keeps it, also the last, and else it is not", async () => {
  const [plain, keeping] = await atWork();
  assert.ok(plain && keeping);
  const transaction = await find(idOf(await charge()));
  // There is no master key, so it cannot be sealed.
  const sealed = (...candidates: readonly ProcessorAtWork[]) =>
    sealedCard(parts, transaction, cardNumber("4111111111111111"), candidates);
  await assert.rejects(sealed(plain, keeping), CardNotSealed);
  await assert.rejects(sealed(keeping), CardNotSealed);
  assert.equal(await sealed(plain), null);
});

test("in a list each transaction is told whether its card number is wanted, kept or gone", async () => {
  const charged = async (processorId: string) => find(idOf(await charge({ processorId })));
  const listed = [await charged(PLAIN.id), await charged(KEEPING.id), await charged(KEEPING.id)];
  const processors = {
    ...parts.processors,
    find: async (merchantId: string, id: string) => isKeeping(await parts.processors.find(merchantId, id)),
  };
  const [, kept] = listed;
  const terms = await termsOfListed({ processors }, listed, async () => new Set([kept?.id ?? ""]));
  assert.deepEqual(
    terms.map(([, { cardNumber }]) => cardNumber),
    ["not wanted", "kept", "gone"],
  );
});
