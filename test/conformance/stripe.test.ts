// The Stripe processor passes the suite of the contract, against a host that answers as Stripe does.

import { processorConformance } from "./processor.ts";
import { stripeSubject } from "./stripe-subject.ts";

processorConformance("stripe", stripeSubject, true);
