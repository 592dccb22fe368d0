// What Adyen's numbers for address and CVC mean, beside the letter that came from the network.

import assert from "node:assert/strict";
import { test } from "node:test";
import { checksOf } from "./checks.ts";

// https://docs.adyen.com/point-of-sale/mail-and-telephone-order-moto/avs-responses-pos
const AVS = {
  match: [7, 20, 24],
  address_match: [1, 9, 12, 21, 25],
  postal_match: [6, 14, 15, 19, 23],
  no_match: [2, 10, 13, 16, 17, 22, 26],
  unavailable: [3, 5, 8, 11, 18],
  not_supported: [4],
};
const CVC = { match: [1], no_match: [2], not_processed: [3], not_present: [4, 6], unsupported: [5] };

test("each number has its word", () => {
  for (const [word, numbers] of Object.entries(AVS))
    for (const number of numbers) {
      const { avs, rawAvs } = checksOf({ avsResult: `${number} in words` }, "visa");
      assert.deepEqual([avs, rawAvs], [word, `${number} in words`]);
    }
  for (const [word, numbers] of Object.entries(CVC))
    for (const number of numbers) assert.equal(checksOf({ cvcResult: `${number} in words` }, "visa").cvv, word);
});

test("a number that says nothing leaves it to the network's letter, and without either there is no word", () => {
  const { avs, rawAvs, cvv, rawCvv } = checksOf(
    { avsResult: "0 Unknown", avsResultRaw: "Y", cvcResultRaw: "N" },
    "visa",
  );
  assert.deepEqual([avs, rawAvs, cvv, rawCvv], ["match", "Y", "no_match", "N"]);
  assert.deepEqual(checksOf({}, "visa"), { avs: null, rawAvs: null, cvv: null, rawCvv: null });
});
