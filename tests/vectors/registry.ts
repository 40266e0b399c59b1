import type { Adapters } from '@proofmark/domain/vector-adapter';
import { domainAdapters } from '@proofmark/domain/vectors';
import { runnerAdapters } from '@proofmark/runner-agent/vectors';
import { documents } from './documents.ts';

/** Each package answers the kinds of vectors that are about it. */
export const adapters: Adapters = new Map(Object.entries({ ...documents, ...domainAdapters, ...runnerAdapters }));
