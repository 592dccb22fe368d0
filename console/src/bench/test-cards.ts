// The simulator's cards, by what they lead to. docs/sandbox.md has the same table.

export interface TestCard {
  readonly number: string;
  readonly leads: string;
}

export interface CardGroup {
  readonly name: string;
  readonly cards: readonly TestCard[];
}

export const TEST_CARDS: readonly CardGroup[] = [
  {
    name: "Approved",
    cards: [
      { number: "4111111111111111", leads: "Visa" },
      { number: "5555555555554444", leads: "Mastercard" },
      { number: "378282246310005", leads: "American Express" },
      { number: "6011111111111117", leads: "Discover" },
      { number: "4000000000000010", leads: "Address does not match" },
      { number: "4000000000000341", leads: "Its capture is declined" },
      { number: "4000000000005126", leads: "Its refund is declined" },
    ],
  },
  {
    name: "Declined",
    cards: [
      { number: "4000000000000002", leads: "05 Do not honor" },
      { number: "4000000000009995", leads: "51 Insufficient funds" },
      { number: "4000000000000069", leads: "54 Expired card" },
      { number: "4000000000000127", leads: "N7 CVV mismatch" },
      { number: "4111111111111112", leads: "14 Invalid card number" },
    ],
  },
  {
    name: "In trouble",
    cards: [
      { number: "4000000000000408", leads: "No answer" },
      { number: "4000000000000689", leads: "The answer comes too late" },
      { number: "4000000000000911", leads: "91 Issuer unavailable" },
      { number: "4000000000000119", leads: "96 System malfunction" },
    ],
  },
];
