import { LRUCache } from 'lru-cache';
import type { Logger } from '../../../routers/base/context.ts';
import { DomainError } from '../../../routers/engine/errors.ts';
import { FairShare } from '../../hardening/fair-share.ts';
import { HighlightWorker, type RenderResult } from './highlight-worker.ts';
import { type Task, type Tokens, taskKey } from './protocol.ts';

/** Maximum length of a text, in characters; longer ones are shown plain. */
const MAX_TEXT = { code: 50_000, formula: 5000 };

/** How many texts may wait for the worker: in all, and of one organization. */
const MAX_WAITING = { all: 4000, organization: 1000, user: 1000 };

/** Approximate bytes of cached outcomes. */
const CACHE_BYTES = 8 * 1024 * 1024;

const ONE_AT_A_TIME = { all: 1, organization: 1, user: 1 };
const BUSY = 'Too many texts are waiting to be highlighted.';

export interface Highlighter {
  /**
   * Renders a text of an organization, or returns the cached outcome. Null if it can never be rendered; undefined if too many
   * texts are waiting, or it took too long.
   */
  render(task: Task, organization: string): Promise<RenderResult>;
  close(): Promise<void>;
}

const weigh = (outcome: RenderResult): number =>
  200 + (typeof outcome === 'string' ? outcome.length * 2 : sizeOf(outcome ?? []));
const sizeOf = (tokens: Tokens): number =>
  tokens.reduce((sum, line) => sum + line.reduce((all, { t }) => all + 60 + t.length * 2, 60), 0);

/**
 * Highlights code and typesets formulas in a worker, one text at a time, taking organizations in turn. Outcomes are cached by
 * the hash of the text, also failures, which are then not tried again.
 */
export function createHighlighter(logger: Logger): Highlighter {
  const cache = new LRUCache<string, { outcome: RenderResult }>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ outcome }) => weigh(outcome),
  });
  const pending = new Map<string, Promise<RenderResult>>();
  const queue = new FairShare({
    slots: ONE_AT_A_TIME,
    waiting: MAX_WAITING,
    messages: { all: BUSY, organization: BUSY, user: BUSY },
  });
  const worker = new HighlightWorker(logger);

  const renderNow = async (key: string, task: Task): Promise<RenderResult> => {
    const outcome = await worker.render(task);
    cache.set(key, { outcome });
    return outcome;
  };

  const renderInTurn = async (key: string, task: Task, organization: string): Promise<RenderResult> => {
    try {
      return await queue.run({ organization, user: organization }, () => renderNow(key, task));
    } catch (error) {
      // Too many are waiting: the text is shown plain, and tried again for the next reader.
      if (error instanceof DomainError) return undefined;
      throw error;
    } finally {
      pending.delete(key);
    }
  };

  return {
    async render(task, organization) {
      if (task.text.length > MAX_TEXT[task.kind]) return null;
      const key = taskKey(task);
      const cached = cache.get(key);
      if (cached) return cached.outcome;
      const result = pending.get(key) ?? renderInTurn(key, task, organization);
      pending.set(key, result);
      return result;
    },
    close: () => worker.close(),
  };
}
