// The kind for Adyen: captures, voids and refunds that end by webhook, and reversals by our own reference.

import { describe } from "node:test";
import { adyenSubject } from "./adyen-subject.ts";
import { followUpRules } from "./follow-up-rules.ts";
import { processorConformance } from "./processor.ts";
import { repeatedFollowUpRules } from "./repeat-rules.ts";
import { rulesOf } from "./rule.ts";

processorConformance("Adyen", adyenSubject({ multiple_captures: true }), true);

describe("Adyen, capturing sales at once", () => {
  const rule = rulesOf(adyenSubject({ multiple_captures: true, capture_delay_hours: 0 }));
  followUpRules(rule);
  repeatedFollowUpRules(rule);
});
