"""The client that openapi-python-client makes, through a merchant's day."""

import os
import uuid
from datetime import date

from faregate_client import AuthenticatedClient
from faregate_client.api.transactions import (
    capture_transaction,
    create_auth,
    create_sale,
    get_transaction,
    list_transactions,
    refund_transaction,
)
from faregate_client.models import (
    ApiError,
    Auth,
    AuthCardExpiryMonth,
    FollowUp,
    Leg,
    PassengerAmount,
    PassengerTransport,
    Sale,
    SaleCardExpiryMonth,
    Transaction,
    TransactionEnvelope,
)

client = AuthenticatedClient(base_url=os.environ["FAREGATE_URL"], token=os.environ["FAREGATE_TOKEN"])

ORDER = f"order-{uuid.uuid4()}"
CARD = dict(
    card_number="4111111111111111",
    card_expiry_month=SaleCardExpiryMonth("12"),
    card_expiry_year="2039",
    ip_address="203.0.113.7",
)


def key():
    return str(uuid.uuid4())


sale = create_sale.sync(
    client=client, body=Sale(amount="3.56", merchant_transaction_id=ORDER, **CARD), idempotency_key=key()
)
assert isinstance(sale, TransactionEnvelope) and sale.transaction.checkout_url is None
assert [(one.success, one.amount) for one in sale.transaction.events] == [(True, "3.56")]

declined = create_sale.sync(
    client=client,
    body=Sale(amount="3.56", merchant_transaction_id=ORDER, **{**CARD, "card_number": "4000000000000002"}),
)
assert not declined.transaction.events[0].success and declined.transaction.events[0].processor_code == "05"

held = Auth(amount="10.00", merchant_transaction_id=ORDER, **{**CARD, "card_expiry_month": AuthCardExpiryMonth("12")})
auth = create_auth.sync(client=client, body=held).transaction
assert auth.actions.capture.amount == "10.00"
captured = capture_transaction.sync(auth.id, client=client, body=FollowUp(amount="4.00"))
assert isinstance(captured, TransactionEnvelope) and captured.transaction.events[0].amount == "4.00"
refunded = refund_transaction.sync(auth.id, client=client, body=FollowUp(amount="1.50"))
assert [one.amount for one in refunded.transaction.events] == ["1.50", "4.00", "10.00"]
found = get_transaction.sync(auth.id, client=client)
assert len(found.transaction.events) == 3 and found.transaction.actions.refund.amount == "2.50"

page = list_transactions.sync(client=client, searchmerchant_transaction_id=ORDER)
assert page.meta.total == 3 and len(page.transactions) == 3

refusal = create_sale.sync(client=client, body=Sale(amount="0.00", merchant_transaction_id=ORDER, **CARD))
assert isinstance(refusal, ApiError) and refusal.error.status == 422
assert len(refusal.error.message["amount"]) == 1
nothing = get_transaction.sync(uuid.uuid4(), client=client)
assert isinstance(nothing, ApiError) and nothing.error.status == 404

passenger = PassengerTransport(
    passenger_name="DOE/JANE",
    ticket_number="0141234567890",
    ticket_issuing_carrier_name="Air Example",
    ticket_issuing_carrier_code="AC",
    ticket_issuing_city="Montreal",
    ticket_issuing_date=date(2031, 4, 1),
    legs=[
        Leg(
            carrier_code="AC",
            service_class="Y",
            departure_airport="YUL",
            destination_airport="YYZ",
            departure_date=date(2031, 5, 1),
            fare_basis="YLX3",
            fare="100.00",
        )
    ],
)
trip = create_sale.sync(
    client=client,
    body=Sale(amount="100.00", merchant_transaction_id=ORDER, passenger_transport=[passenger], **CARD),
).transaction
part = PassengerAmount(passenger_id=str(trip.passengers[0].id), amount="40.00")
back = refund_transaction.sync(trip.id, client=client, body=FollowUp(amount="40.00", passenger_transport=[part]))
assert isinstance(back, Transaction) and back.passengers[0].totals.refunded == "40.00"
