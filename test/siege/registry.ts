// All kinds of hostile clients.

import type { Kind } from "./attack.ts";
import { stoppedBatchReaders } from "./kinds/batch-events.ts";
import { hugeHeaders, manyAddresses, otherProtocols, resetStorm, silentConnections } from "./kinds/connections.ts";
import { cardsInMeta, deepNesting, emptyPassengers, manyParts, wrongFields } from "./kinds/costly-bodies.ts";
import { headsOfExports, largeSales, leftExports } from "./kinds/exports.ts";
import { documentation, guessedTokens, overTheLimit, unknownPaths } from "./kinds/floods.ts";
import { followUpsAtOnce, smallRefunds } from "./kinds/follow-ups.ts";
import { oneKey } from "./kinds/idempotency.ts";
import { costlyLists, polledLists, unknownIds } from "./kinds/lists.ts";
import { miscountedBodies, trailingGarbage } from "./kinds/miscounted.ts";
import { oddCards } from "./kinds/odd-cards.ts";
import { slowBodies, slowHeaders, tinyChunks } from "./kinds/slow.ts";
import { byteByByte, unreadDocuments, unreadExports, unreadPages } from "./kinds/unread.ts";
import { silentEndpoints } from "./kinds/webhooks.ts";

export const KINDS: readonly Kind[] = [
  unreadDocuments,
  unreadPages,
  unreadExports,
  largeSales,
  headsOfExports,
  leftExports,
  stoppedBatchReaders,
  silentEndpoints,
  emptyPassengers,
  cardsInMeta,
  wrongFields,
  deepNesting,
  manyParts,
  oddCards,
  miscountedBodies,
  trailingGarbage,
  smallRefunds,
  followUpsAtOnce,
  costlyLists,
  polledLists,
  unknownIds,
  oneKey,
  byteByByte,
  slowHeaders,
  slowBodies,
  tinyChunks,
  silentConnections,
  manyAddresses,
  resetStorm,
  otherProtocols,
  hugeHeaders,
  guessedTokens,
  unknownPaths,
  documentation,
  overTheLimit,
];

/** Of those whose name has one of the words, all but those whose name has one of the others. */
export const kindsWith = (words: readonly string[], without: readonly string[]): readonly Kind[] =>
  KINDS.filter(
    ({ name }) =>
      (words.length === 0 || words.some((word) => name.includes(word))) && !without.some((word) => name.includes(word)),
  );
