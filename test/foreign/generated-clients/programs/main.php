<?php
// The client that openapi-generator makes for PHP, through a merchant's day.

require getenv('GUZZLE_AUTOLOAD');
spl_autoload_register(function (string $class): void {
    $file = __DIR__ . '/client/lib/' . str_replace('\\', '/', substr($class, strlen('OpenAPI\\Client\\'))) . '.php';
    if (str_starts_with($class, 'OpenAPI\\Client\\') && is_file($file)) {
        require $file;
    }
});

use OpenAPI\Client\ApiException;
use OpenAPI\Client\Api\TransactionsApi;
use OpenAPI\Client\Configuration;
use OpenAPI\Client\Model;

function same(mixed $got, mixed $wanted): void
{
    if ($got !== $wanted) {
        throw new Exception(var_export($got, true) . ' instead of ' . var_export($wanted, true));
    }
}

$configuration = (new Configuration())->setHost(getenv('FAREGATE_URL'))->setAccessToken(getenv('FAREGATE_TOKEN'));
$transactions = new TransactionsApi(new GuzzleHttp\Client(), $configuration);
$order = 'order-' . bin2hex(random_bytes(8));
$card = [
    'card_number' => '4111111111111111',
    'card_expiry_month' => '12',
    'card_expiry_year' => '2039',
    'merchant_transaction_id' => $order,
    'ip_address' => '203.0.113.7',
];

$sold = $transactions->createSale(new Model\Sale(['amount' => '3.56'] + $card), bin2hex(random_bytes(8)))->getTransaction();
same($sold->getCheckoutUrl(), null);
same($sold->getEvents()[0]->getSuccess(), true);
same($sold->getEvents()[0]->getAmount(), '3.56');
$declined = $transactions->createSale(new Model\Sale(['amount' => '3.56', 'card_number' => '4000000000000002'] + $card));
same($declined->getTransaction()->getEvents()[0]->getProcessorCode(), '05');

$auth = $transactions->createAuth(new Model\Auth(['amount' => '10.00'] + $card))->getTransaction();
same($auth->getActions()->getCapture()->getAmount(), '10.00');
$captured = $transactions->captureTransaction($auth->getId(), null, new Model\FollowUp(['amount' => '4.00']));
same($captured->getTransaction()->getEvents()[0]->getAmount(), '4.00');
$refunded = $transactions->refundTransaction($auth->getId(), null, new Model\FollowUp(['amount' => '1.50']));
same(count($refunded->getTransaction()->getEvents()), 3);
$found = $transactions->getTransaction($auth->getId())->getTransaction();
same($found->getActions()->getRefund()->getAmount(), '2.50');

$page = $transactions->listTransactions(search_merchant_transaction_id: $order);
same($page->getMeta()->getTotal(), 3);
same(count($page->getTransactions()), 3);

function refusal(int $status, callable $asked): object
{
    try {
        $asked();
    } catch (ApiException $refused) {
        same($refused->getCode(), $status);
        return $refused->getResponseObject();
    }
    throw new Exception('it was not refused');
}
$wrong = refusal(422, fn () => $transactions->createSale(new Model\Sale(['amount' => '0.00'] + $card)));
same(count($wrong->getError()->getMessage()['amount']), 1);
$nothing = refusal(404, fn () => $transactions->getTransaction('0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77'));
same($nothing->getError()->getStatus(), 404);

$leg = new Model\Leg([
    'carrier_code' => 'AC',
    'service_class' => 'Y',
    'departure_airport' => 'YUL',
    'destination_airport' => 'YYZ',
    'departure_date' => new DateTime('2031-05-01'),
    'fare_basis' => 'YLX3',
    'fare' => '100.00',
]);
$passenger = new Model\PassengerTransport([
    'passenger_name' => 'DOE/JANE',
    'ticket_number' => '0141234567890',
    'ticket_issuing_carrier_name' => 'Air Example',
    'ticket_issuing_carrier_code' => 'AC',
    'ticket_issuing_city' => 'Montreal',
    'ticket_issuing_date' => new DateTime('2031-04-01'),
    'legs' => [$leg],
]);
$trip = $transactions->createSale(new Model\Sale(['amount' => '100.00', 'passenger_transport' => [$passenger]] + $card));
$part = new Model\PassengerAmount(['passenger_id' => $trip->getTransaction()->getPassengers()[0]->getId(), 'amount' => '40.00']);
$back = $transactions->refundTransaction(
    $trip->getTransaction()->getId(),
    null,
    new Model\FollowUp(['amount' => '40.00', 'passenger_transport' => [$part]]),
);
same($back->getPassengers()[0]->getTotals()->getRefunded(), '40.00');
