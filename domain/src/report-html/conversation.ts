import type { CaseOutcome, ConversationFacts, ToolCall, TranscriptTurn } from '@proofmark/contracts/case-outcome';
import type { TestResult } from '@proofmark/contracts/test-report';
import { describeSimulation } from '../report/failure-reasons.ts';
import { formatMs } from '../text/format-numbers.ts';
import { type Html, html, nameText, nothing, textBlock } from './html-text.ts';

const mostCalls = 60;
const mostTurns = 200;
const valueUnits = 4_000;

/** Tools that were called, in their order, with what went in and came out where that was kept. */
export function toolSection(result: TestResult, outcome: CaseOutcome | null): Html {
  const { tool_calls, tools_matched, expected_tools } = result;
  if (tool_calls.length === 0 && expected_tools === null && tools_matched === null) return nothing;
  const expected =
    expected_tools === null || expected_tools.length === 0
      ? nothing
      : html`<p>Expected: ${expected_tools.map((name, index) => html`${index === 0 ? '' : ', '}<code>${nameText(name, 64)}</code>`)}</p>`;
  return html`<h5>Tools ${matchTag(tools_matched)}</h5>${expected}${problems(outcome)}${calls(result, outcome)}`;
}

function matchTag(matched: boolean | null): Html {
  if (matched === null) return nothing;
  return matched
    ? html`<span class="tag passed">matched expected</span>`
    : html`<span class="tag failed">did not match expected</span>`;
}

function problems(outcome: CaseOutcome | null): Html {
  const found = outcome?.tools.problems ?? [];
  return found.length === 0 ? nothing : html`<ul>${found.map((problem) => html`<li>${problem}</li>`)}</ul>`;
}

function calls({ tool_calls }: TestResult, outcome: CaseOutcome | null): Html {
  if (tool_calls.length === 0) return html`<p class="empty">No tool was called.</p>`;
  const kept = outcome?.toolCalls ?? [];
  const items =
    kept.length === 0
      ? tool_calls.slice(0, mostCalls).map((name) => html`<li><code>${nameText(name, 64)}</code></li>`)
      : kept.slice(0, mostCalls).map(callItem);
  const rest = tool_calls.length - items.length;
  return html`<ol class="calls">${items}</ol>${rest > 0 ? html`<p class="note">${rest} more calls.</p>` : null}`;
}

const sources: Record<ToolCall['source'], string> = {
  mock: 'answered by a mock',
  live: 'answered by the tool',
  reported: 'reported by the agent',
  none: 'not answered',
};

function callItem({ name, args, argsError, result, error, source, durationMs }: ToolCall): Html {
  const wrong = [argsError, error].filter((one) => one !== null);
  return html`<li><details><summary><code>${nameText(name, 64)}</code> <span class="meta">${sources[source]}, ${formatMs(durationMs)}</span>${wrong.length > 0 ? html` <span class="tag failed">error</span>` : null}</summary>${wrong.map((text) => html`<p class="why">${text}</p>`)}<p class="label">Arguments</p>${jsonBlock(args)}<p class="label">Result</p>${jsonBlock(result)}</details></li>`;
}

/** Data as its own text where it is a text, else as JSON. */
function jsonBlock(value: unknown): Html {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return textBlock(text ?? 'null', { maxUnits: valueUnits, maxLines: 120 });
}

const speakers: Record<TranscriptTurn['role'], string> = { user: 'User', agent: 'Agent', tool: 'Tool' };

/** The conversation, folded. One question and one answer stand above already and are not repeated. */
export function transcriptSection({ transcript, conversation }: CaseOutcome): Html {
  if (transcript.length <= 2 && conversation === undefined) return nothing;
  const turns = transcript
    .slice(0, mostTurns)
    .map(
      ({ role, text, durationMs }) =>
        html`<li class="turn ${role}"><p class="label">${speakers[role]}${durationMs === undefined ? null : html` <span class="meta">${formatMs(durationMs)}</span>`}</p>${textBlock(text, { maxUnits: 8_000, maxLines: 200 })}</li>`,
    );
  const rest = transcript.length - turns.length;
  const end =
    conversation?.endReason == null
      ? nothing
      : html`, ended by ${endWords[conversation.endReason]}${leaving(conversation)}`;
  return html`<details class="fold"><summary>Transcript: ${transcript.length} turns${end}</summary><ol class="turns">${turns}</ol>${rest > 0 ? html`<p class="note">${rest} more turns.</p>` : null}</details>${simulationNotes(conversation)}`;
}

const leaving = ({ leaveReason }: ConversationFacts): string =>
  leaveReason === null ? '' : ` (${leaveReason.replaceAll('_', ' ')})`;

/** What a reader must know of the person who was played: tries that do not count, and faults that a look has found. */
function simulationNotes(conversation: CaseOutcome['conversation']): Html {
  const notes = conversation === undefined ? [] : describeSimulation(conversation);
  return notes.length === 0 ? nothing : html`<ul class="note">${notes.map((note) => html`<li>${note}</li>`)}</ul>`;
}

const endWords = {
  agent: 'the agent',
  simulator: 'the simulated user',
  max_turns: 'the limit of turns',
  silent: 'silence',
} as const;
