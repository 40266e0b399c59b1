import { FindCasesDocument, ListSuitesDocument } from '@proofmark/client/documents';
import type { ClientError, Sent } from '@proofmark/client/send-operation';
import { z } from 'zod';
import type { OpenCoordinator } from './open-coordinator.ts';

/** Something that a coordinator has stored; or why it is not clear what is meant. */
export type FoundStored = { ok: true; id: string } | { ok: false; usage: string } | { ok: false; error: ClientError };

const isId = (word: string): boolean => z.uuid().safeParse(word).success;

/** The stored suite that is meant by its name, or by its id. */
export async function findSuite({ patient }: OpenCoordinator, word: string): Promise<FoundStored> {
  if (isId(word)) return { ok: true, id: word };
  const sent = await patient.ask(ListSuitesDocument, { filter: { name: word }, first: 10 });
  return chosenOf(sent, word, {
    what: 'suite',
    list: '`proofmark suites` lists them',
    candidates: ({ suites }) => suites.edges.map(({ node: { id, agentName } }) => ({ id, of: `agent ${agentName}` })),
  });
}

/** The stored test that is meant by its name, or by its id; `suite`, likewise, says of which suite where names are not enough. */
export async function findTest(
  coordinator: OpenCoordinator,
  { word, suite }: { word: string; suite: string | undefined },
): Promise<FoundStored> {
  if (isId(word)) return { ok: true, id: word };
  const within = suite === undefined ? undefined : await findSuite(coordinator, suite);
  if (within?.ok === false) return within;
  const sent = await coordinator.patient.ask(FindCasesDocument, { name: word, suiteId: within?.id ?? null });
  return chosenOf(sent, word, {
    what: 'test',
    list: '`proofmark suites show SUITE` lists those of a suite',
    candidates: ({ testCases }) =>
      testCases.edges.map(({ node: { id, suite: home } }) => ({ id, of: `suite ${home?.name ?? 'without a name'}` })),
  });
}

interface Choice<Data> {
  what: string;
  /** How to see what there is. */
  list: string;
  candidates: (data: Data) => { id: string; of: string }[];
}

function chosenOf<Data>(sent: Sent<Data>, word: string, { what, list, candidates }: Choice<Data>): FoundStored {
  if (!sent.ok) return sent;
  const all = candidates(sent.answer);
  const [first, ...others] = all;
  if (first === undefined) return { ok: false, usage: `The coordinator has no ${what} ${word}: ${list}.` };
  if (others.length === 0) return { ok: true, id: first.id };
  const named = all.map(({ id, of }) => `${id} (${of})`).join(', ');
  return { ok: false, usage: `Several have the name ${word}. Name one by its id: ${named}.` };
}
