import { type ChatRequest, lastUserText, systemText } from './chat-request.ts';
import type { Rule } from './rules.ts';

const vague = 'I am not sure about that. Somebody from our team will get back to you.';
const longestAnswer = 2;

// Words that say nothing about the matter of a question.
const empty = new Set(
  `a about after all also am an and any are as at be been before but by can could customer customers did do does for from get give had has have
  hello help hi how i if in into is it its just know let like long may me much must my need no not now of on or our out please shall should
  so tell than thank thanks that the their them then there these they this time to too until up us want was we what when where which while
  who why will with would you your`.split(/\s+/),
);

/** A model for the agent of a shop's support desk: it knows what its instructions say, and nothing else. */
export const supportDeskRules: Rule[] = [{ reply: answerFromInstructions }];

/**
 * The sentences of the instructions that share most key words with the question, in their order; a vague sentence when none does.
 * A sentence such as "Never mention refunds" takes away what the instructions say about refunds.
 */
function answerFromInstructions(request: ChatRequest): string {
  const question = keyWords(lastUserText(request));
  const sentences = sentencesOf(systemText(request));
  const forbidden = new Set(sentences.flatMap((sentence) => [...forbiddenWords(sentence)]));
  const scored = sentences
    .filter((sentence) => isFact(sentence) && keyWords(sentence).isDisjointFrom(forbidden))
    .map((sentence) => ({ sentence, score: keyWords(sentence).intersection(question).size }));
  const best = Math.max(0, ...scored.map(({ score }) => score));
  if (best === 0) return vague;
  const chosen = scored.filter(({ score }) => score === best).slice(0, longestAnswer);
  return chosen.map(({ sentence }) => sentence).join(' ');
}

function sentencesOf(text: string): string[] {
  return text
    .split(/\n+|(?<=[.!?])\s+/)
    .map((sentence) => sentence.replace(/^[\s#>*-]+/, '').trim())
    .filter((sentence) => sentence !== '');
}

const prohibition = /^(?:never|do not|don't) (?:mention|quote|discuss|talk about|give|state|reveal|promise)\b(.*)$/i;
const addressed = /^(?:you|your|always|answer|be|keep|use|reply|say|speak|write|never|do not|don't)\b/i;

function forbiddenWords(sentence: string): Set<string> {
  return keyWords(prohibition.exec(sentence)?.[1] ?? '');
}

/** What the agent is told about the shop; sentences that tell it how to behave are no answers. */
function isFact(sentence: string): boolean {
  return !addressed.test(sentence);
}

function keyWords(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !empty.has(word)).map(stem));
}

/** "opening", "opened" and "opens" count as "open"; crude, but the same on every machine. */
function stem(word: string): string {
  const bare = word.length > 4 ? word.replace(/(?:ings?|ed|es|s)$/, '') : word;
  return bare.length >= 3 ? bare.replace(/e$/, '') : word;
}
