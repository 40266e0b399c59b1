import type { TokenUsage, TranscriptTurn } from '@proofmark/contracts/case-outcome';
import { sumUsage } from '@proofmark/domain/totals';
import type { CaseContext, CaseState } from '../case/case-state.ts';
import type { AgentTurn, Attachments, Conversation } from '../drivers/agent-driver.ts';
import { openDriver } from '../drivers/open-driver.ts';
import type { CallResult, ChatPort } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import { type Tried, tryAgain } from '../retry/try-again.ts';

const agentTries = 3;
const tokensPerTestRun = 200_000;

/** One message to the agent. `said` is what the person said; null when the agent is only asked to speak first. */
export interface UserMessage {
  said: string | null;
  /** What the agent receives when that is more than what was said. */
  sent?: string;
  attachments?: Attachments;
  /** How long the person needed. */
  durationMs?: number;
}

/** What the answers say that they cost; null when one of them does not say it. */
function toldCost(answers: readonly AgentTurn[]): number | null {
  const costs = answers.flatMap(({ costUsd }) => costUsd ?? []);
  return costs.length === 0 || costs.length < answers.length ? null : costs.reduce((sum, cost) => sum + cost, 0);
}

const tokensIn = (usages: readonly (TokenUsage | null)[]): number =>
  usages.reduce((sum, usage) => sum + (usage ? usage.promptTokens + usage.completionTokens : 0), 0);

/** What was said before the case begins: whoever judges reads it as well. It belongs to no turn. */
const said = ({ work }: CaseContext): TranscriptTurn[] =>
  (work.case.messages ?? []).map(({ role, content }) => ({ role: role === 'user' ? 'user' : 'agent', text: content }));

/** The agent's side of a conversation: asks it, tries again, and keeps everything that was said and done. */
export class AgentSeat implements AsyncDisposable {
  readonly #context: CaseContext;
  #conversation: Conversation | undefined;
  #transcript: TranscriptTurn[];
  #answers: AgentTurn[] = [];
  #latencyMs = 0;
  /** Tokens and retries of tries that failed or were thrown away count, too. */
  readonly #usages: (TokenUsage | null)[] = [];
  /** What the models of the try under way have answered up to now: paid for, even if nothing comes of it. */
  #spentInTry: (TokenUsage | null)[] = [];
  #retryCount = 0;

  constructor(context: CaseContext) {
    this.#context = context;
    this.#transcript = said(context);
  }

  /** How many turns of the agent are done. */
  get turns(): number {
    return this.#answers.length;
  }

  /** The next turn of the agent, after as many tries as it takes. Rejects only when the test run is aborted. */
  async turn(message: UserMessage): Promise<CallResult<AgentTurn>> {
    const opened = this.#open();
    if (!opened.ok) return opened;
    const { work, ports, tools, signal, deadlineAtMs } = this.#context;
    const turn = this.turns;
    const { said, durationMs } = message;
    if (said !== null) {
      this.#transcript.push({ role: 'user', text: said, turn, ...(durationMs === undefined ? {} : { durationMs }) });
    }
    tools.startTurn(turn);
    try {
      const tried = await tryAgain<AgentTurn>(ports, {
        tries: ports.watch?.retry?.maxAttempts ?? agentTries,
        timeoutMs: work.limits.agentTimeoutMs,
        signal,
        deadlineAtMs,
        isFinal: () => tools.hasGoneLive || tools.simulationFault !== null,
        attempt: (trySignal) => {
          tools.rewindTurn();
          this.#giveTryUp();
          return opened.value.turn(message.sent ?? said ?? '', trySignal, message.attachments);
        },
        ...(ports.watch?.retry && { backoff: ports.watch.retry }),
        ...(ports.watch?.tried && { onTry: ports.watch.tried }),
      });
      this.#retryCount += tried.retryCount;
      return this.#keep(turn, tried);
    } catch (error) {
      this.#keepToolCalls(turn);
      this.#giveTryUp();
      throw error;
    }
  }

  /** Ends the conversation with the agent; the next turn begins a new one with fresh tools. */
  async startOver(): Promise<void> {
    await this.#close();
    this.#context.tools.startOver();
    this.#transcript = said(this.#context);
    this.#answers = [];
    this.#latencyMs = 0;
  }

  /** The state with everything that has happened up to now, also in a conversation that broke. */
  record(state: CaseState): CaseState {
    const last = this.#answers.at(-1);
    return {
      ...state,
      response: last?.text ?? null,
      transcript: [...this.#transcript],
      model: last?.model ?? null,
      usage: this.#usages.length === 0 ? null : sumUsage(this.#usages),
      toldCostUsd: toldCost(this.#answers),
      latencyMs: last ? this.#latencyMs : null,
      retryCount: this.#retryCount,
      flags: [...state.flags, ...this.#answers.flatMap(({ flags }) => flags)],
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }

  #open(): CallResult<Conversation> {
    if (this.#conversation) return { ok: true, value: this.#conversation };
    const { work, ports, models, tools } = this.#context;
    const opened = openDriver({
      work,
      models: this.#metered(models),
      tools,
      ...(ports.reach && { reach: ports.reach }),
    });
    if (opened.ok) this.#conversation = opened.value;
    return opened;
  }

  #metered(models: ChatPort): ChatPort {
    return {
      chat: (settings, request, signal) => {
        // A turn with many tools calls the model many times: it ends as soon as the tokens are used up, not behind its end.
        const tooMany = this.#tooManyTokens();
        if (tooMany) return Promise.resolve(tooMany);
        return models.chat(settings, request, signal).then((answered) => {
          if (answered.ok) this.#spentInTry.push(answered.value.usage);
          return answered;
        });
      },
    };
  }

  #giveTryUp(): void {
    this.#usages.push(...this.#spentInTry);
    this.#spentInTry = [];
  }

  async #close(): Promise<void> {
    const conversation = this.#conversation;
    this.#conversation = undefined;
    await conversation?.close?.();
  }

  #keepToolCalls(turn: number): void {
    for (const call of this.#context.tools.calls) {
      if (call.turn !== turn) continue;
      const { id, result, durationMs } = call;
      this.#transcript.push({ role: 'tool', text: JSON.stringify(result), toolCallId: id, turn, durationMs });
    }
  }

  #keep(turn: number, tried: Tried<AgentTurn>): CallResult<AgentTurn> {
    this.#keepToolCalls(turn);
    const { simulationFault } = this.#context.tools;
    // Waiting for a tool that a model plays may have used up the agent's time.
    if (!tried.ok) {
      this.#giveTryUp();
      return simulationFault === null ? tried : { ok: false, failure: simulationFault };
    }
    const { value: answer, latencyMs } = tried;
    // The answer says itself what it took.
    this.#spentInTry = [];
    this.#context.ports.watch?.answered?.(answer);
    this.#transcript.push({ role: 'agent', text: answer.text, turn, durationMs: latencyMs });
    this.#answers.push(answer);
    this.#usages.push(answer.usage);
    this.#latencyMs += latencyMs;
    return this.#tooManyTokens() ?? { ok: true, value: answer };
  }

  #tooManyTokens(): CallResult<never> | undefined {
    if (tokensIn(this.#usages) + tokensIn(this.#spentInTry) <= tokensPerTestRun) return undefined;
    return { ok: false, failure: finalFailure('limit', `The agent used more than ${tokensPerTestRun} tokens`) };
  }
}
