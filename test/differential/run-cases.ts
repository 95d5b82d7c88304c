// Asks both gateways the same cases, a few at a time, and judges each pair of answers.
import { type Case, nameOf, statementOf } from './case.ts';
import { type Judgement, judge, type Reply } from './compare.ts';
import type { Client } from './gateway-client.ts';

export interface Judged extends Judgement {
  readonly test: Case;
  readonly name: string;
  readonly reference: Reply;
  readonly ours: Reply;
}

/** Either gateway, or what stands in for one. */
export type Answerer = Pick<Client, 'ask'>;

export async function runCases(
  cases: readonly Case[],
  reference: Answerer,
  ours: Answerer,
  atOnce = 4,
): Promise<Judged[]> {
  const judged: Judged[] = new Array(cases.length);
  const alone = oneAtATime(reference);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < cases.length) {
      const index = next++;
      judged[index] = await runCase(cases[index] as Case, alone, ours);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return judged;
}

/** The reference keeps the params of all its requests in one place: of two at a time one may get the other's. */
function oneAtATime(reference: Answerer): Answerer {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ask(request) {
      const answer = last.then(() => reference.ask(request));
      last = answer.catch(() => {});
      return answer;
    },
  };
}

export async function runCase(test: Case, reference: Answerer, ours: Answerer): Promise<Judged> {
  const [expected, got] = await Promise.all([answerOf(reference, test), answerOf(ours, test)]);
  const ordered = /\border\s+by\b/i.test(outermost(statementOf(test)));
  const sorted = typeof test === 'string' ? undefined : test.sorted;
  const judgement = judge(expected, got, { ordered, sorted });
  return { ...judgement, test, name: nameOf(test), reference: expected, ours: got };
}

/** A connection that breaks is an answer too: the reference does so on some bodies. */
async function answerOf(gateway: Answerer, test: Case): Promise<Reply> {
  try {
    return await gateway.ask(test);
  } catch (error) {
    return { status: 599, type: '', body: `no answer: ${String(error)}` };
  }
}

/** The statement without what stands in parentheses or quotes. */
function outermost(statement: string): string {
  let text = statement.replace(/'(?:[^']|'')*'|"[^"]*"|`[^`]*`/g, "''");
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(/\([^()]*\)/g, ' ');
  }
  return text;
}
