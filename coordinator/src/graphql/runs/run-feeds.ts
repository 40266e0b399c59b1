import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from '../../access/caller.ts';
import type { RunView } from './read-runs.ts';

export interface RunFeedPorts {
  /** Ticks whenever something may have changed, and every few seconds anyway, until the signal ends it. */
  changes: (tenantId: string, runId: string, signal: AbortSignal) => AsyncIterable<void>;
  read: (tenantId: string, runId: string) => Promise<RunView | null>;
  /** Which of these tokens still open anything. */
  validTokens: (tenantId: string, tokenIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Between two readings of a run. */
  restMs?: number;
}

/** The run now and after each change, until its token or the signal ends; nothing once the run is gone. */
export type FollowRun = (
  caller: Pick<Caller, 'tenantId' | 'tokenId'>,
  runId: string,
  signal: AbortSignal,
) => AsyncGenerator<RunView>;

interface Follower {
  tokenId: string;
  /** What it has not been told yet; a newer state takes the place of an older one. */
  next: RunView | undefined;
  hasEnded: boolean;
  wake: () => void;
}

interface Feed {
  followers: Set<Follower>;
  latest: RunView | undefined;
  stop: () => void;
}

/**
 * However many follow a run, this replica reads it once for all of them, at most once a second, and asks then whether their
 * tokens still hold.
 */
export function runFeeds({ changes, read, validTokens, restMs = 1_000 }: RunFeedPorts): FollowRun {
  const feeds = new Map<string, Feed>();

  const end = (follower: Follower) => {
    follower.hasEnded = true;
    follower.wake();
  };

  const tell = (feed: Feed, run: RunView, valid: ReadonlySet<string>) => {
    const isNew = JSON.stringify(run) !== JSON.stringify(feed.latest);
    feed.latest = run;
    for (const follower of feed.followers) {
      if (!valid.has(follower.tokenId)) end(follower);
      else if (isNew) {
        follower.next = run;
        follower.wake();
      }
    }
  };

  const follow = async (feed: Feed, tenantId: string, runId: string, signal: AbortSignal) => {
    for await (const _ of changes(tenantId, runId, signal)) {
      const tokenIds = [...new Set(Array.from(feed.followers, ({ tokenId }) => tokenId))];
      const [run, valid] = await Promise.all([read(tenantId, runId), validTokens(tenantId, tokenIds)]);
      if (run === null) return;
      tell(feed, run, valid);
      // Whoever ends the feed ends the rest with it.
      await pause(restMs, undefined, { signal }).catch(() => undefined);
    }
  };

  const open = (key: string, tenantId: string, runId: string): Feed => {
    const stopping = new AbortController();
    const feed: Feed = { followers: new Set(), latest: undefined, stop: () => stopping.abort() };
    feeds.set(key, feed);
    const isOver = () => {
      if (feeds.get(key) === feed) feeds.delete(key);
      for (const follower of feed.followers) end(follower);
    };
    // What fails here ends the streams, and their readers come again.
    follow(feed, tenantId, runId, stopping.signal).then(isOver, isOver);
    return feed;
  };

  /** Whoever leaves last ends the readings. */
  const leave = (key: string, feed: Feed, follower: Follower) => {
    feed.followers.delete(follower);
    if (feed.followers.size > 0) return;
    if (feeds.get(key) === feed) feeds.delete(key);
    feed.stop();
  };

  return async function* followRun({ tenantId, tokenId }, runId, signal) {
    const key = `${tenantId} ${runId}`;
    const feed = feeds.get(key) ?? open(key, tenantId, runId);
    const bell = bellOf();
    const follower: Follower = { tokenId, next: feed.latest, hasEnded: signal.aborted, wake: bell.ring };
    feed.followers.add(follower);
    const stop = () => end(follower);
    signal.addEventListener('abort', stop, { once: true });
    try {
      while (!signal.aborted) {
        const { next } = follower;
        follower.next = undefined;
        if (next !== undefined) yield next;
        else if (follower.hasEnded) return;
        else await bell.rung();
      }
    } finally {
      signal.removeEventListener('abort', stop);
      leave(key, feed, follower);
    }
  };
}

/** Rung before somebody waits, it is heard at once. */
function bellOf(): { ring: () => void; rung: () => Promise<void> } {
  let bell = Promise.withResolvers<void>();
  return {
    ring: () => bell.resolve(),
    rung: async () => {
      await bell.promise;
      bell = Promise.withResolvers<void>();
    },
  };
}
