// What became of a delivery, in a word.

import type { Delivery } from "../api/setup.ts";
import type { Standing } from "../words/standing.ts";

export const DELIVERY_STATES: Readonly<Record<Delivery["status"], Standing>> = {
  waiting: { word: "Waiting", tone: "wait" },
  delivered: { word: "Delivered", tone: "good" },
  failed: { word: "Failed", tone: "bad" },
};
