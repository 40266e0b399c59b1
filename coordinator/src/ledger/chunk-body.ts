import { PROTOCOL_VERSION } from '@proofmark/contracts/task-message';
import type { WorkPart, WorkParts } from './work-parts.ts';

/** A test run of a chunk with what it is made of. */
export interface BodyTestRun {
  id: string;
  testCaseId: string;
  repetition: number;
  seed: string;
  parts: WorkParts;
}

export interface ChunkBody {
  /** The settings that its test runs name, in the order in which a message holds them. */
  settings: WorkPart[];
  /** Cases and turns as they stand in the message. */
  text: string;
}

/** Writes the part of a task message that is this chunk's alone. Test runs get their places in the order in which they are given. */
export function writeBody(turns: readonly (readonly BodyTestRun[])[]): ChunkBody {
  const settings = places();
  const cases = places();
  let at = 0;
  const written = turns.map((turn) =>
    turn.map(({ id, testCaseId, repetition, seed, parts }) => ({
      at: at++,
      testRunId: id,
      testCaseId,
      setting: settings.placeOf(parts.setting),
      case: cases.placeOf(parts.case),
      repetition,
      seed,
    })),
  );
  const list = cases.parts.map(({ json }) => json).join(',');
  return { settings: settings.parts, text: `"cases":[${list}],"turns":${JSON.stringify(written)}` };
}

/** Parts in the order in which they are first asked for, each once. */
function places() {
  const known = new Map<string, number>();
  const parts: WorkPart[] = [];
  const placeOf = (part: WorkPart): number => {
    const place = known.get(part.hash) ?? parts.push(part) - 1;
    known.set(part.hash, place);
    return place;
  };
  return { parts, placeOf };
}

interface Task {
  tenantId: string;
  runId: string;
  chunkId: string;
  publishGen: number;
  /** As JSON. */
  settings: readonly string[];
  body: string;
}

/** The whole message. Its parts are JSON already, so nothing of them is read again. */
export function writeTask({ settings, body, ...rest }: Task): string {
  const { tenantId, runId, chunkId, publishGen } = rest;
  const head = JSON.stringify({ v: PROTOCOL_VERSION, kind: 'task', tenantId, runId, chunkId, publishGen });
  return `${head.slice(0, -1)},"settings":[${settings.join(',')}],${body}}`;
}
