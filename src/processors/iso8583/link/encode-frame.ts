// A message as it goes to a host: encoded and framed.

import type { Dialect } from "../codec/dialect.ts";
import { type Framing, frame } from "../codec/frames.ts";
import type { Message } from "../codec/message.ts";
import { encodeMessage } from "../codec/message-codec.ts";

export const encodeFrame = (message: Message, how: { readonly dialect: Dialect; readonly framing: Framing }): Buffer =>
  frame(encodeMessage(message, how.dialect), how.framing);
