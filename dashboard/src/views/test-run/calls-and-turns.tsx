import { formatMs } from '@proofmark/domain/format-numbers';
import { Folded, LongText } from '../../parts/pieces.tsx';
import { Answer } from './answer.tsx';
import type { TestRunOfSide } from './whole-test-run.ts';

interface Pair {
  head: TestRunOfSide;
  base: TestRunOfSide | null;
}

type Call = TestRunOfSide['toolCalls'][number];

const callSources: Readonly<Record<string, string>> = {
  mock: 'answered by a mock',
  live: 'answered by the tool',
  reported: 'reported by the agent',
  none: 'not answered',
};

/** Calls of both sides in line: equal names stand beside each other, and what only one side called stands alone. */
function alignCalls(base: readonly Call[], head: readonly Call[]): [Call | null, Call | null][] {
  const rows: [Call | null, Call | null][] = [];
  let at = 0;
  for (const call of head) {
    const same = base.findIndex(({ name }, place) => place >= at && name === call.name);
    if (same === -1) {
      rows.push([null, call]);
      continue;
    }
    rows.push(...base.slice(at, same).map((one): [Call | null, Call | null] => [one, null]), [
      base[same] ?? null,
      call,
    ]);
    at = same + 1;
  }
  return [...rows, ...base.slice(at).map((one): [Call | null, Call | null] => [one, null])];
}

export function ToolCalls({ head, base }: Pair) {
  if (head.toolCalls.length === 0 && (base?.toolCalls.length ?? 0) === 0) return null;
  const rows =
    base === null
      ? head.toolCalls.map((call): [Call | null, Call | null] => [null, call])
      : alignCalls(base.toolCalls, head.toolCalls);
  return (
    <section aria-labelledby="tools">
      <h2 id="tools">Tool calls</h2>
      <ol class="card calls">
        {rows.slice(0, 200).map(([was, is], at) => (
          <li key={`${at}`} class={base === null ? 'one' : ''}>
            {base !== null && <CallCell call={was} other={is} side="Base" missing="not called on the base" />}
            <CallCell call={is} other={was} side={base === null ? undefined : 'Head'} missing="not called here" />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface CallCellProps {
  call: Call | null;
  other: Call | null;
  /** Absent: there is no other side. */
  side: 'Base' | 'Head' | undefined;
  missing: string;
}

function CallCell({ call, other, side, missing }: CallCellProps) {
  if (call === null)
    return (
      <div class="call none quiet" data-side={side}>
        {missing}
      </div>
    );
  const args = JSON.stringify(call.args);
  const differs = other !== null && JSON.stringify(other.args) !== args;
  return (
    <div class="call" data-side={side}>
      <Folded
        summary={
          <>
            <code>{call.name}</code> <span class={differs ? 'warn' : 'quiet'}>{args.slice(0, 120)}</span>
            {call.error !== null && <span class="bad"> failed</span>}
          </>
        }
      >
        {() => (
          <>
            <p class="quiet small">
              {callSources[call.source] ?? call.source}, {formatMs(call.durationMs)}, turn {call.turn + 1}
            </p>
            {[call.argsError, call.error].map((text) => text !== null && <p class="bad">{text}</p>)}
            <h4>Arguments</h4>
            <LongText text={JSON.stringify(call.args, null, 2)} />
            <h4>Result</h4>
            <LongText text={typeof call.result === 'string' ? call.result : JSON.stringify(call.result, null, 2)} />
          </>
        )}
      </Folded>
    </div>
  );
}

const speakers: Readonly<Record<string, string>> = { user: 'User', agent: 'Agent', tool: 'Tool' };

/** The whole conversations turn by turn; one question and one answer stand above already. */
export function Conversations({ head, base }: Pair) {
  const turns = Math.max(head.transcript.length, base?.transcript.length ?? 0);
  if (turns <= 2) return null;
  return (
    <section aria-labelledby="conversation">
      <h2 id="conversation">Conversation</h2>
      <ol class="turns">
        {Array.from({ length: Math.min(turns, 200) }, (_, at) => {
          const [was, is] = [base?.transcript[at] ?? null, head.transcript[at] ?? null];
          return (
            <li key={`${at}`} class={base === null ? 'one' : ''}>
              {base !== null && <Turn turn={was} other={is} side="base" />}
              <Turn turn={is} other={was} side="head" isOnly={base === null} />
            </li>
          );
        })}
      </ol>
      {turns > 200 && <p class="quiet">{turns - 200} more turns: download the results to read them.</p>}
    </section>
  );
}

type TranscriptTurn = TestRunOfSide['transcript'][number];

interface TurnProps {
  turn: TranscriptTurn | null;
  other: TranscriptTurn | null;
  side: 'base' | 'head';
  isOnly?: boolean;
}

function Turn({ turn, other, side, isOnly = false }: TurnProps) {
  const title = isOnly ? undefined : side === 'base' ? 'Base' : 'Head';
  if (turn === null)
    return (
      <div class="turn none quiet" data-side={title}>
        (ended)
      </div>
    );
  return (
    <div class={`turn ${turn.role}`} data-side={title}>
      <h4>{speakers[turn.role] ?? turn.role}</h4>
      <Answer text={turn.text} other={other?.text ?? null} side={side} />
    </div>
  );
}
