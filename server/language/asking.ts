import { setTimeout as sleep } from 'node:timers/promises';
import { EngineFailure } from '../../routers/base/language-ports.ts';
import type { Outbound } from '../../routers/base/outbound-ports.ts';
import { ANYWHERE, openOutbound } from '../hardening/outbound.ts';

/** How often a request is sent before it is given up. */
const ATTEMPTS = 4;

/** Longest wait before the next attempt, in milliseconds, also where the server asks for a longer one. */
const LONGEST_WAIT = 60_000;

/** Largest response, in bytes. */
const MAX_RESPONSE = 4_000_000;

/** How an engine is asked; tests ask faster. */
export interface AskingOptions {
  /** Milliseconds that one request may take. */
  timeLimit?: number;
  /** Milliseconds before the second attempt; doubled with each. */
  firstWait?: number;
}

/** Posts JSON to the server of an engine, and returns the body of its response. */
export type Ask = (path: string, body: string, headers?: Record<string, string>) => Promise<string>;

/**
 * Opens the way to an engine whose URL the operator has configured: with the client for outbound requests, which follows no
 * redirects and bounds time and size, but to any address. What may pass is tried again, within bounds.
 */
export function createAsk(
  url: string,
  what: string,
  { timeLimit = 120_000, firstWait = 2000 }: AskingOptions = {},
): Ask {
  const outbound: Outbound = openOutbound({ allowed: ANYWHERE, timeLimit });
  return async (path, body, headers = {}) => {
    let problem = '';
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const answer = await outbound.post(`${url}${path}`, { body, headers, maxBytes: MAX_RESPONSE });
      if (!('problem' in answer) && answer.status >= 200 && answer.status < 300) return answer.body;
      problem = 'problem' in answer ? answer.problem : `It responds with status ${answer.status}.`;
      // Other statuses would be the same again.
      if (!('problem' in answer) && answer.status < 500 && answer.status !== 429 && answer.status !== 408)
        break;
      if (attempt === ATTEMPTS) break;
      const asked = 'retryAfter' in answer ? (answer.retryAfter ?? 0) * 1000 : 0;
      await sleep(Math.min(LONGEST_WAIT, Math.max(asked, firstWait * 2 ** (attempt - 1))));
    }
    throw new EngineFailure(`${what} cannot be used: ${problem}`);
  };
}
