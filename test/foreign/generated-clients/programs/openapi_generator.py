"""The client that openapi-generator makes for Python, through a merchant's day."""

import os
import uuid

import openapi_client as api
from openapi_client.exceptions import NotFoundException, UnprocessableEntityException

configuration = api.Configuration(host=os.environ["FAREGATE_URL"], access_token=os.environ["FAREGATE_TOKEN"])
transactions = api.TransactionsApi(api.ApiClient(configuration))

ORDER = f"order-{uuid.uuid4()}"
CARD = dict(card_number="4111111111111111", card_expiry_month="12", card_expiry_year="2039", ip_address="203.0.113.7")


def key():
    return str(uuid.uuid4())


def events(answer):
    return answer.transaction.events


sale = transactions.create_sale(
    api.Sale(amount="3.56", merchant_transaction_id=ORDER, meta={"cart": 17}, **CARD), idempotency_key=key()
)
assert sale.transaction.checkout_url is None
assert [(one.success, one.amount) for one in events(sale)] == [(True, "3.56")]

declined = transactions.create_sale(
    api.Sale(amount="3.56", merchant_transaction_id=ORDER, **{**CARD, "card_number": "4000000000000002"})
)
assert not events(declined)[0].success and events(declined)[0].processor_code == "05"

auth = transactions.create_auth(api.Auth(amount="10.00", merchant_transaction_id=ORDER, **CARD))
assert auth.transaction.actions.capture.amount == "10.00"
captured = transactions.capture_transaction(auth.transaction.id, follow_up=api.FollowUp(amount="4.00"))
assert isinstance(captured.actual_instance, api.TransactionEnvelope)
assert events(captured.actual_instance)[0].amount == "4.00"
refunded = transactions.refund_transaction(auth.transaction.id, follow_up=api.FollowUp(amount="1.50"))
assert [one.amount for one in events(refunded.actual_instance)] == ["1.50", "4.00", "10.00"]
found = transactions.get_transaction(auth.transaction.id)
assert len(events(found)) == 3 and found.transaction.actions.refund.amount == "2.50"

page = transactions.list_transactions(search_merchant_transaction_id=ORDER)
assert page.meta.total == 3 and len(page.transactions) == 3

try:
    transactions.create_sale(api.Sale(amount="0.00", merchant_transaction_id=ORDER, **CARD))
    raise AssertionError("0.00 was charged")
except UnprocessableEntityException as refusal:
    assert refusal.data.error.status == 422 and len(refusal.data.error.message["amount"]) == 1
try:
    transactions.get_transaction(uuid.uuid4())
    raise AssertionError("a transaction that does not exist was found")
except NotFoundException as refusal:
    assert refusal.data.error.status == 404

leg = api.Leg(
    carrier_code="AC",
    service_class="Y",
    departure_airport="YUL",
    destination_airport="YYZ",
    departure_date="2031-05-01",
    fare_basis="YLX3",
    fare="100.00",
)
passenger = api.PassengerTransport(
    passenger_name="DOE/JANE",
    ticket_number="0141234567890",
    ticket_issuing_carrier_name="Air Example",
    ticket_issuing_carrier_code="AC",
    ticket_issuing_city="Montreal",
    ticket_issuing_date="2031-04-01",
    legs=[leg],
)
trip = transactions.create_sale(
    api.Sale(amount="100.00", merchant_transaction_id=ORDER, passenger_transport=[passenger], **CARD)
)
traveller = trip.transaction.passengers[0].id
back = transactions.refund_transaction(
    trip.transaction.id,
    follow_up=api.FollowUp(
        amount="40.00",
        passenger_transport=[api.PassengerAmount(passenger_id=str(traveller), amount="40.00")],
    ),
)
assert isinstance(back.actual_instance, api.Transaction)
assert back.actual_instance.passengers[0].totals.refunded == "40.00"
