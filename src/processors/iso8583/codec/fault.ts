// What is wrong with bytes or values of a message, told without any of them: a field may hold a card number or a CVV.

export class CodecFault extends Error {
  override readonly name = "CodecFault";
}

/** @param field its number in the message, or its tag in field 48 */
export const fieldFault = (field: number | string, what: string): CodecFault =>
  new CodecFault(`field ${field}: ${what}`);
