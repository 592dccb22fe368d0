// The host's reports of each day: the Payment accounting report, a line for each change of a payment's status, and the Received payment details
// report, a line for each payment. docs.adyen.com/reporting/invoice-reconciliation/payment-accounting-report,
// docs.adyen.com/reporting/received-payment-details-report

import type { Payment } from "./accounts.ts";
import { inMajorUnits } from "./currency.ts";
import type { Item } from "./entry.ts";

const ACCOUNTING = [
  ...["Company Account", "Merchant Account", "Psp Reference", "Merchant Reference", "Payment Method", "Booking Date"],
  ...["TimeZone", "Main Currency", "Main Amount", "Record Type", "Payment Currency", "Received (PC)"],
  ...["Authorised (PC)", "Captured (PC)", "Settlement Currency", "Payable (SC)", "Commission (SC)", "Markup (SC)"],
  ...["Scheme Fees (SC)", "Interchange (SC)", "Processing Fee Currency", "Processing Fee (FC)", "User Name"],
  ...["Payment Method Variant", "Modification Merchant Reference", "Modification Psp Reference"],
  "Merchant Order Reference",
] as const;
const RECEIVED = [
  ...["Company Account", "Merchant Account", "Psp Reference", "Merchant Reference", "Payment Method", "Creation Date"],
  ...["TimeZone", "Currency", "Amount", "Type", "Risk Scoring", "Shopper Interaction", "Shopper Name", "Shopper PAN"],
  ...["Acquirer Response", "Authorisation Code", "Merchant Order Reference"],
] as const;
type Row = Readonly<Partial<Record<(typeof ACCOUNTING)[number] | (typeof RECEIVED)[number], string>>>;

type PaymentOf = (psp: string) => Payment | undefined;

/** @param items what was told by webhook, oldest first */
export const accountingReport = (account: string, items: readonly Item[], paymentOf: PaymentOf): string =>
  csv(
    ACCOUNTING,
    account,
    items.flatMap((item) => statusesOf(item, paymentOf)),
  );

export const receivedReport = (account: string, items: readonly Item[], paymentOf: PaymentOf): string =>
  csv(
    RECEIVED,
    account,
    items.filter(({ eventCode }) => eventCode === "AUTHORISATION").map((item) => paymentRow(item, paymentOf)),
  );

function statusesOf(item: Item, paymentOf: PaymentOf): readonly Row[] {
  const { eventCode, success, pspReference, originalReference, merchantReference, amount, eventDate } = item;
  const payment = paymentOf(originalReference ?? pspReference);
  const status = (type: string, moved: Row, modification: Row = {}): Row => ({
    ...commonOf(payment, originalReference ?? pspReference, payment?.reference ?? merchantReference),
    ...{ "Booking Date": timeOf(eventDate), "Main Currency": amount.currency, "Record Type": type },
    ...{ "Main Amount": money(amount.value), "Payment Currency": amount.currency, ...moved, ...modification },
  });
  const money = (minor: number) => `${minor < 0 ? "-" : ""}${inMajorUnits(Math.abs(minor), amount.currency)}`;
  const [plus, minus] = [money(amount.value), money(-amount.value)];
  const received = status("Received", { "Received (PC)": plus });
  if (eventCode === "AUTHORISATION" && success === "false")
    return [received, status("Refused", { "Received (PC)": minus })];
  if (success === "false") return [];
  const captured = { "Authorised (PC)": minus, "Captured (PC)": plus };
  const modification = {
    "Modification Merchant Reference": merchantReference,
    "Modification Psp Reference": pspReference,
  };
  switch (eventCode) {
    case "AUTHORISATION":
      return [
        received,
        status("Authorised", { "Received (PC)": minus, "Authorised (PC)": plus }),
        ...(payment?.captures === "by hand" ? [] : [status("SentForSettle", captured)]),
      ];
    case "CAPTURE":
      return [status("SentForSettle", captured, modification)];
    case "REFUND":
      return [status("SentForRefund", { "Captured (PC)": minus }, modification)];
    case "CANCELLATION":
    case "TECHNICAL_CANCEL":
      return [status("Cancelled", { "Authorised (PC)": minus }, modification)];
    case "CANCEL_OR_REFUND":
      return payment?.cancelled
        ? [status("Cancelled", { "Authorised (PC)": minus }, modification)]
        : [status("SentForRefund", { "Captured (PC)": minus }, modification)];
    default:
      return [];
  }
}

function paymentRow({ success, pspReference, merchantReference, amount, eventDate, reason }: Item, of: PaymentOf): Row {
  const payment = of(pspReference);
  const [authCode = "", lastFour = ""] = success === "true" ? reason.split(":") : [];
  return {
    ...commonOf(payment, pspReference, merchantReference),
    ...{ "Creation Date": timeOf(eventDate), Currency: amount.currency, "Shopper Interaction": "Ecommerce" },
    Amount: inMajorUnits(amount.value, amount.currency),
    Type: success === "false" ? "Refused" : payment?.cancelled ? "Cancelled" : "Authorised",
    ...{ "Acquirer Response": success === "true" ? "APPROVED" : reason },
    ...{ "Authorisation Code": authCode, "Shopper PAN": lastFour },
  };
}

const commonOf = (payment: Payment | undefined, psp: string, reference: string): Row => ({
  ...{ "Company Account": "TestCompany", TimeZone: "UTC", "Psp Reference": psp, "Merchant Reference": reference },
  ...{ "Payment Method": payment?.method ?? "", "Merchant Order Reference": payment?.order ?? "" },
});

const timeOf = (at: string): string => at.slice(0, 19).replace("T", " ");

function csv(columns: readonly (keyof Row)[], account: string, rows: readonly Row[]): string {
  const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = rows.map((row) => {
    const whole: Row = { ...row, "Merchant Account": account };
    return columns.map((name) => cell(whole[name] ?? "")).join(",");
  });
  return [columns.join(","), ...lines, ""].join("\n");
}
