// Everything under `/operator`, decisions section 11.

import type { FastifyInstance } from "fastify";
import type { Parts } from "../../gateway/parts.ts";
import type { Sql } from "../../journal/database.ts";
import type { PeopleOffice } from "../../people/people.ts";
import type { SandboxTime } from "../../settlement/time.ts";
import type { SealingOffice } from "../../webhooks/endpoints.ts";
import type { LongResponses } from "../long-responses.ts";
import { auditLogRoutes } from "./audit-log.ts";
import { batchRoutes } from "./batches.ts";
import { cardTestingRoutes } from "./card-testing.ts";
import { clockRoutes } from "./clock.ts";
import { declaredStateRoutes } from "./declared-state.ts";
import { operatorDisputeRoutes } from "./disputes.ts";
import { keyRoutes } from "./keys.ts";
import { merchantRoutes, userRoutes } from "./merchants.ts";
import { notificationRoutes } from "./notifications.ts";
import { peopleRoutes, personRoutes } from "./people.ts";
import { processorRecordRoutes } from "./processors.ts";
import { operatorReconciliationRoutes } from "./reconciliations.ts";
import { routingRoutes } from "./routing.ts";
import { tokenRoutes } from "./tokens.ts";
import { unresolvedRoutes } from "./unresolved.ts";
import { webhookDeliveryRoutes } from "./webhook-deliveries.ts";
import { webhookRoutes } from "./webhooks.ts";

/**
 * @param processorsChanged told of the merchant whose processor records, or the rules among them, are others now, before it is answered
 * @param time of the sandbox; undefined in live mode
 */
export function operatorRoutes(
  app: FastifyInstance,
  office: SealingOffice &
    PeopleOffice & {
      readonly slowReads: Sql;
      readonly responses: LongResponses;
      readonly parts: Parts;
    },
  processorsChanged: (merchantId: string) => Promise<void>,
  time: SandboxTime | undefined,
): void {
  merchantRoutes(app, office, (merchantId, nth) => office.parts.checkoutTokens.returnSecret(merchantId, nth));
  userRoutes(app, office);
  tokenRoutes(app, office);
  peopleRoutes(app, office);
  personRoutes(app, office);
  processorRecordRoutes(app, office, processorsChanged);
  routingRoutes(app, office, office.parts, processorsChanged);
  webhookRoutes(app, office);
  webhookDeliveryRoutes(app, office);
  batchRoutes(app, { ...office, sql: office.slowReads }, office.responses);
  operatorReconciliationRoutes(app, office);
  operatorDisputeRoutes(app, office);
  unresolvedRoutes(app, office);
  notificationRoutes(app, { sql: office.slowReads });
  cardTestingRoutes(app, office);
  auditLogRoutes(app, office);
  keyRoutes(app, office);
  declaredStateRoutes(app, office);
  if (time !== undefined) clockRoutes(app, office, time);
}
