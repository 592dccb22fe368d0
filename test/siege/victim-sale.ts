// The sale that merchant V sends again and again.

import { sale } from "../journeys/merchant.fixture.ts";

export const saleOf = (processorId: string, order: string): object =>
  sale({
    ...{ processor_id: processorId, merchant_transaction_id: order, card_cvv: "123" },
    ...{ first_name: "Jane", last_name: "Doe", email: "jane@example.com", street_address_1: "1 Main Street" },
    ...{ city: "Los Gatos", state: "CA", country: "US", zip: "95030" },
  });
