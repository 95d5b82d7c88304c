// GET /receipt/{chainId}/{transactionHash}: what became of a transaction. Not in the specification, but the
// SDK polls it.
import type { Ask } from '../answer/engine.ts';
import { GatewayError } from '../base/errors.ts';
import { BAD_HASH } from '../base/reference-words.ts';
import { type Answer, JSON_TYPE, jsonAnswer, NOTHING_FOUND } from '../http/answer.ts';
import { decode } from '../http/request.ts';
import { askerOf, type Request, type Route } from '../http/router.ts';
import type { ReceiptRecord } from '../wire/protocol.ts';
import { readChain, shown } from './chain.ts';
import { VARY_BY_MINIMUM } from './minimum.ts';
import { readRecord } from './record.ts';
import type { Serving } from './serving.ts';

const VARY: readonly string[] = ['Vary', VARY_BY_MINIMUM];

export interface ReceiptContext {
  readonly ask: Ask;
  readonly serving: () => Serving;
}

export function receiptRoute(context: ReceiptContext): Route {
  return {
    word: 'receipt',
    segments: 2,
    limited: true,
    handlers: { GET: (request) => answerReceipt(context, request) },
  };
}

async function answerReceipt({ ask, serving }: ReceiptContext, request: Request): Promise<Answer> {
  const chainId = readChain(request.segments[0] ?? '', serving());
  const given = decode(request.segments[1] ?? '', 'the transaction hash');
  const transactionHash = readHash(given);
  if (transactionHash === undefined) return { ...NOTHING_FOUND, headers: VARY };
  const reply = await ask({ kind: 'receipt', chainId, transactionHash }, askerOf(request));
  const record = readRecord<ReceiptRecord>(reply.body);
  const { snapshot } = reply;
  if (record === null) return { ...NOTHING_FOUND, headers: VARY, snapshot };
  return { ...jsonAnswer(receiptDocument(record, given), [...JSON_TYPE, ...VARY]), snapshot };
}

/**
 * Stored in lower case with 0x; asked for in any case, with or without it, as in the reference.
 * @returns undefined for what is no hash: there is no receipt of it
 * @throws GatewayError bad-hash, where the reference finds an error in it
 */
function readHash(text: string): string | undefined {
  if (/^0x/i.test(text) && !/^0x([0-9a-f]{2})*$/i.test(text))
    throw new GatewayError('bad-hash', BAD_HASH, {
      hint: `The transaction hash must be 0x and 64 hexadecimal digits, not ${shown(text)}.`,
    });
  const digits = /^(?:0[xX])?([0-9a-fA-F]{64})$/.exec(text)?.[1];
  return digits === undefined ? undefined : `0x${digits.toLowerCase()}`;
}

/** Order and absence of members are the reference's: it leaves out what is empty or 0, and echoes the hash. */
function receiptDocument(record: ReceiptRecord, given: string): string {
  return JSON.stringify({
    table_id: record.tableId ?? undefined,
    table_ids: record.tableIds.length === 0 ? undefined : record.tableIds,
    transaction_hash: given,
    block_number: record.blockNumber,
    chain_id: record.chainId,
    error: record.error || undefined,
    error_event_idx: record.error === null ? undefined : record.errorEventIdx || undefined,
  });
}
