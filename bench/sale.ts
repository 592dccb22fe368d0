// The request that is measured: a sale as a web shop sends it, with a name, an address and a CVV. Each has an order
// number of its own, and every second one an idempotency key.

const SALES_PER_KEY = 2;

export interface SaleRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** @param run keeps the order numbers and keys of one load apart from those of all others */
export function saleRequests(token: string, processorId: string, run: string): () => SaleRequest {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  let sales = 0;
  return () => {
    const order = `${run}-${++sales}`;
    const body = {
      processor_id: processorId,
      amount: "3.56",
      card_number: "4111111111111111",
      card_expiry_month: "12",
      card_expiry_year: "2039",
      card_cvv: "123",
      merchant_transaction_id: order,
      ip_address: "203.0.113.7",
      first_name: "Jane",
      last_name: "Doe",
      email: `jane.${sales}@example.com`,
      street_address_1: "1 Main Street",
      city: "Los Gatos",
      state: "CA",
      country: "US",
      zip: "95030",
    };
    return {
      headers: sales % SALES_PER_KEY === 0 ? { ...headers, "idempotency-key": `key-${order}` } : headers,
      body: JSON.stringify(body),
    };
  };
}

/** Only an approved sale counts. */
export const approved = (body: string): boolean => body.includes('"success":true');
