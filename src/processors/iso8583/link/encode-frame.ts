// A message as it goes to a host: encoded and framed.

import { type Framing, frame } from "../codec/frames.ts";
import type { Message } from "../codec/message.ts";
import { encodeMessage, type Wire } from "../codec/message-codec.ts";

export const encodeFrame = (message: Message, how: { readonly wire: Wire; readonly framing: Framing }): Buffer =>
  frame(encodeMessage(message, how.wire), how.framing);
