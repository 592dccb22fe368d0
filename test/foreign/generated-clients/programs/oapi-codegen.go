// The client that oapi-codegen makes, through a merchant's day.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	faregate "faregate.test/client"
	"github.com/google/uuid"
	openapi_types "github.com/oapi-codegen/runtime/types"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func same(got, want any) {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		panic(fmt.Sprintf("%v instead of %v", got, want))
	}
}

func main() {
	ctx := context.Background()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("FAREGATE_TOKEN"))
		return nil
	}
	client, err := faregate.NewClientWithResponses(os.Getenv("FAREGATE_URL"), faregate.WithRequestEditorFn(authorize))
	must(err)
	order := fmt.Sprintf("order-oapi-%d", time.Now().UnixNano())

	visa, year := "4111111111111111", "2039"
	saleMonth, authMonth := faregate.SaleCardExpiryMonth("12"), faregate.AuthCardExpiryMonth("12")
	sale := func(amount, card string) faregate.Sale {
		return faregate.Sale{Amount: amount, CardNumber: &card, CardExpiryMonth: &saleMonth, CardExpiryYear: &year, MerchantTransactionId: order, IpAddress: "203.0.113.7"}
	}
	sold, err := client.CreateSaleWithResponse(ctx, &faregate.CreateSaleParams{IdempotencyKey: &order}, sale("3.56", "4111111111111111"))
	must(err)
	same(sold.JSON200.Transaction.Events[0].Success, true)
	same(sold.JSON200.Transaction.CheckoutUrl == nil, true)
	declined, err := client.CreateSaleWithResponse(ctx, nil, sale("3.56", "4000000000000002"))
	must(err)
	same(*declined.JSON200.Transaction.Events[0].ProcessorCode, "05")

	authorized, err := client.CreateAuthWithResponse(ctx, nil, faregate.Auth{Amount: "10.00", CardNumber: &visa, CardExpiryMonth: &authMonth, CardExpiryYear: &year, MerchantTransactionId: order})
	must(err)
	id := authorized.JSON200.Transaction.Id
	four, some := "4.00", "1.50"
	captured, err := client.CaptureTransactionWithResponse(ctx, id, nil, faregate.FollowUp{Amount: &four})
	must(err)
	// With an answer that is pending the status is 202.
	outcome := captured.JSON200
	if outcome == nil {
		outcome = captured.JSON202
	}
	envelope, err := outcome.AsTransactionEnvelope()
	must(err)
	same(envelope.Transaction.Events[0].Amount, "4.00")
	refunded, err := client.RefundTransactionWithResponse(ctx, id, nil, faregate.FollowUp{Amount: &some})
	must(err)
	envelope, err = refunded.JSON200.AsTransactionEnvelope()
	must(err)
	same(len(envelope.Transaction.Events), 3)

	page, err := client.ListTransactionsWithResponse(ctx, &faregate.ListTransactionsParams{SearchMerchantTransactionId: &order})
	must(err)
	same(page.JSON200.Meta.Total, 3)

	wrong, err := client.CreateSaleWithResponse(ctx, nil, sale("0.00", "4111111111111111"))
	must(err)
	same(len(wrong.JSON422.Error.Message["amount"]), 1)
	nothing, err := client.GetTransactionWithResponse(ctx, uuid.New())
	must(err)
	same(nothing.JSON404.Error.Status, 404)

	day := func(text string) openapi_types.Date {
		parsed, err := time.Parse(time.DateOnly, text)
		must(err)
		return openapi_types.Date{Time: parsed}
	}
	trip := sale("100.00", "4111111111111111")
	trip.PassengerTransport = &[]faregate.PassengerTransport{{
		PassengerName: "DOE/JANE", TicketNumber: "0141234567890", TicketIssuingCarrierName: "Air Example",
		TicketIssuingCarrierCode: "AC", TicketIssuingCity: "Montreal", TicketIssuingDate: day("2031-04-01"),
		Legs: []faregate.Leg{{CarrierCode: "AC", ServiceClass: "Y", DepartureAirport: "YUL", DestinationAirport: "YYZ", DepartureDate: day("2031-05-01"), FareBasis: "YLX3", Fare: "100.00"}},
	}}
	flown, err := client.CreateSaleWithResponse(ctx, nil, trip)
	must(err)
	passenger := (*flown.JSON200.Transaction.Passengers)[0].Id.String()
	part := "40.00"
	back, err := client.RefundTransactionWithResponse(ctx, flown.JSON200.Transaction.Id, nil, faregate.FollowUp{
		Amount: &part, PassengerTransport: &[]faregate.PassengerAmount{{PassengerId: passenger, Amount: part}},
	})
	must(err)
	bare, err := back.JSON200.AsTransaction()
	must(err)
	same((*bare.Passengers)[0].Totals.Refunded, "40.00")
}
