// The client that openapi-generator makes for Java, through a merchant's day.

import java.time.LocalDate;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.TransactionsApi;
import org.openapitools.client.model.ApiError;
import org.openapitools.client.model.Auth;
import org.openapitools.client.model.FollowUp;
import org.openapitools.client.model.Leg;
import org.openapitools.client.model.PassengerAmount;
import org.openapitools.client.model.PassengerTransport;
import org.openapitools.client.model.Sale;
import org.openapitools.client.model.Transaction;

public class Main {
  static final String ORDER = "order-" + UUID.randomUUID();

  static void same(Object got, Object wanted) {
    if (!Objects.equals(String.valueOf(got), String.valueOf(wanted)))
      throw new AssertionError(got + " instead of " + wanted);
  }

  static Sale sale(String amount, String card) {
    return new Sale()
        .amount(amount)
        .cardNumber(card)
        .cardExpiryMonth(Sale.CardExpiryMonthEnum._12)
        .cardExpiryYear("2039")
        .merchantTransactionId(ORDER)
        .ipAddress("203.0.113.7");
  }

  interface Asked {
    void send() throws ApiException;
  }

  static ApiError refusal(int status, Asked asked) throws Exception {
    try {
      asked.send();
    } catch (ApiException refused) {
      same(refused.getCode(), status);
      return ApiError.fromJson(refused.getResponseBody());
    }
    throw new AssertionError("it was not refused");
  }

  public static void main(String[] none) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("FAREGATE_URL"));
    client.setBearerToken(System.getenv("FAREGATE_TOKEN"));
    TransactionsApi transactions = new TransactionsApi(client);

    Transaction sold =
        transactions.createSale(sale("3.56", "4111111111111111"), UUID.randomUUID().toString()).getTransaction();
    same(sold.getCheckoutUrl(), null);
    same(sold.getEvents().get(0).getSuccess(), true);
    same(sold.getEvents().get(0).getAmount(), "3.56");
    Transaction declined = transactions.createSale(sale("3.56", "4000000000000002"), null).getTransaction();
    same(declined.getEvents().get(0).getProcessorCode(), "05");

    Auth auth =
        new Auth()
            .amount("10.00")
            .cardNumber("4111111111111111")
            .cardExpiryMonth(Auth.CardExpiryMonthEnum._12)
            .cardExpiryYear("2039")
            .merchantTransactionId(ORDER);
    Transaction authorized = transactions.createAuth(auth, null).getTransaction();
    UUID id = authorized.getId();
    same(authorized.getActions().getCapture().getAmount(), "10.00");
    Transaction captured =
        transactions.captureTransaction(id, null, new FollowUp().amount("4.00")).getTransactionEnvelope().getTransaction();
    same(captured.getEvents().get(0).getAmount(), "4.00");
    Transaction refunded =
        transactions.refundTransaction(id, null, new FollowUp().amount("1.50")).getTransactionEnvelope().getTransaction();
    same(refunded.getEvents().size(), 3);
    same(transactions.getTransaction(id).getTransaction().getActions().getRefund().getAmount(), "2.50");

    var page =
        transactions.listTransactions(
            null, null, null, ORDER, null, null, null, null, null, null, null, null, null, null, null, null, null,
            null, null, null, null, null, null, null, null, null, null, null, null);
    same(page.getMeta().getTotal(), 3);
    same(page.getTransactions().size(), 3);

    ApiError wrong = refusal(422, () -> transactions.createSale(sale("0.00", "4111111111111111"), null));
    same(wrong.getError().getMessage().get("amount").size(), 1);
    same(refusal(404, () -> transactions.getTransaction(UUID.randomUUID())).getError().getStatus(), 404);

    Leg leg =
        new Leg()
            .carrierCode("AC")
            .serviceClass("Y")
            .departureAirport("YUL")
            .destinationAirport("YYZ")
            .departureDate(LocalDate.of(2031, 5, 1))
            .fareBasis("YLX3")
            .fare("100.00");
    PassengerTransport passenger =
        new PassengerTransport()
            .passengerName("DOE/JANE")
            .ticketNumber("0141234567890")
            .ticketIssuingCarrierName("Air Example")
            .ticketIssuingCarrierCode("AC")
            .ticketIssuingCity("Montreal")
            .ticketIssuingDate(LocalDate.of(2031, 4, 1))
            .legs(List.of(leg));
    Transaction trip =
        transactions
            .createSale(sale("100.00", "4111111111111111").passengerTransport(List.of(passenger)), null)
            .getTransaction();
    PassengerAmount part =
        new PassengerAmount().passengerId(trip.getPassengers().get(0).getId().toString()).amount("40.00");
    Transaction back =
        transactions
            .refundTransaction(trip.getId(), null, new FollowUp().amount("40.00").passengerTransport(List.of(part)))
            .getTransaction();
    same(back.getPassengers().get(0).getTotals().getRefunded(), "40.00");
    System.exit(0);
  }
}
