// A message's fields in the clear, for tests: messages themselves do not print them.

import { FIELD_NUMBERS } from "../codec/fields.ts";
import type { Message } from "../codec/message.ts";

export const shown = (message: Message): Record<string, string> =>
  Object.fromEntries(FIELD_NUMBERS.flatMap((field) => [[field, message.get(field) ?? ""]]).filter(([, text]) => text));
