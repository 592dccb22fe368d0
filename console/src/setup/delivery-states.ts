// What a delivery told, what became of it, and what was answered, in words.

import type { Delivery } from "../api/setup.ts";
import type { StatusLabel } from "../words/status.ts";

export const DELIVERY_STATES: Readonly<Record<Delivery["status"], StatusLabel>> = {
  waiting: { word: "Waiting", tone: "wait" },
  delivered: { word: "Delivered", tone: "good" },
  failed: { word: "Failed", tone: "bad" },
};

/** `transaction.refund.succeeded` → `refund succeeded`; `webhook.ping` → `test` */
export const toldOf = ({ type }: Delivery): string =>
  type === "webhook.ping" ? "test" : type.replace("transaction.", "").replaceAll(/[._]/g, " ");

export const answerOf = ({ last_answer, attempts }: Delivery): string =>
  attempts > 1 ? `${last_answer ?? "–"} (${attempts} attempts)` : (last_answer ?? "–");
