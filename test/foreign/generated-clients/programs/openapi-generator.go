// The client that openapi-generator makes for Go, through a merchant's day.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	faregate "faregate.test/client"
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
	configuration := faregate.NewConfiguration()
	configuration.Servers = faregate.ServerConfigurations{{URL: os.Getenv("FAREGATE_URL")}}
	transactions := faregate.NewAPIClient(configuration).TransactionsAPI
	ctx := context.WithValue(context.Background(), faregate.ContextAccessToken, os.Getenv("FAREGATE_TOKEN"))
	order := fmt.Sprintf("order-go-%d", time.Now().UnixNano())

	sale := func(amount, card string) *faregate.Sale {
		sale := faregate.NewSale(amount, order, "203.0.113.7")
		sale.SetCardNumber(card)
		sale.SetCardExpiryMonth("12")
		sale.SetCardExpiryYear("2039")
		return sale
	}
	sold, _, err := transactions.CreateSale(ctx).IdempotencyKey(order).Sale(*sale("3.56", "4111111111111111")).Execute()
	must(err)
	same(sold.Transaction.Events[0].Success, true)
	same(sold.Transaction.Events[0].Amount, "3.56")
	same(sold.Transaction.CheckoutUrl.Get() == nil, true)

	declined, _, err := transactions.CreateSale(ctx).Sale(*sale("3.56", "4000000000000002")).Execute()
	must(err)
	same(declined.Transaction.Events[0].Success, false)
	same(*declined.Transaction.Events[0].ProcessorCode.Get(), "05")

	auth := faregate.NewAuth("10.00", order)
	auth.SetCardNumber("4111111111111111")
	auth.SetCardExpiryMonth("12")
	auth.SetCardExpiryYear("2039")
	authorized, _, err := transactions.CreateAuth(ctx).Auth(*auth).Execute()
	must(err)
	id := authorized.Transaction.Id
	same(*authorized.Transaction.Actions.Capture.Amount, "10.00")

	captured, _, err := transactions.CaptureTransaction(ctx, id).FollowUp(faregate.FollowUp{Amount: faregate.PtrString("4.00")}).Execute()
	must(err)
	same(captured.TransactionEnvelope.Transaction.Events[0].Amount, "4.00")
	refunded, _, err := transactions.RefundTransaction(ctx, id).FollowUp(faregate.FollowUp{Amount: faregate.PtrString("1.50")}).Execute()
	must(err)
	same(len(refunded.TransactionEnvelope.Transaction.Events), 3)
	found, _, err := transactions.GetTransaction(ctx, id).Execute()
	must(err)
	same(*found.Transaction.Actions.Refund.Amount, "2.50")

	page, _, err := transactions.ListTransactions(ctx).SearchMerchantTransactionId(order).Execute()
	must(err)
	same(page.Meta.Total, 3)
	same(len(page.Transactions), 3)

	_, _, err = transactions.CreateSale(ctx).Sale(*sale("0.00", "4111111111111111")).Execute()
	refusal := err.(*faregate.GenericOpenAPIError).Model().(faregate.ApiError)
	same(refusal.Error.Status, 422)
	same(len(refusal.Error.Message["amount"]), 1)
	_, _, err = transactions.GetTransaction(ctx, "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77").Execute()
	same(err.(*faregate.GenericOpenAPIError).Model().(faregate.ApiError).Error.Status, 404)

	leg := faregate.NewLeg("AC", "Y", "YUL", "YYZ", "2031-05-01", "YLX3", "100.00")
	passenger := faregate.NewPassengerTransport("0141234567890", "Air Example", "AC", "Montreal", "2031-04-01", "DOE/JANE", []faregate.Leg{*leg})
	trip := sale("100.00", "4111111111111111")
	trip.PassengerTransport = []faregate.PassengerTransport{*passenger}
	flown, _, err := transactions.CreateSale(ctx).Sale(*trip).Execute()
	must(err)
	part := faregate.NewPassengerAmount(flown.Transaction.Passengers[0].Id, "40.00")
	back, _, err := transactions.RefundTransaction(ctx, flown.Transaction.Id).FollowUp(faregate.FollowUp{
		Amount:             faregate.PtrString("40.00"),
		PassengerTransport: []faregate.PassengerAmount{*part},
	}).Execute()
	must(err)
	same(back.Transaction.Passengers[0].Totals.Refunded, "40.00")
}
