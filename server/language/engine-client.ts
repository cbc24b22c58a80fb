import { setTimeout as sleep } from 'node:timers/promises';
import { EngineFailure } from '../../routers/base/language-ports.ts';
import type { Outbound } from '../../routers/base/outbound-ports.ts';
import { ANY_ADDRESS, openOutbound } from '../hardening/outbound.ts';

/** How often a request is sent before it is given up. */
const ATTEMPTS = 4;

/** Longest wait before the next attempt, in milliseconds, also where the server asks for a longer one. */
const MAX_WAIT = 60_000;

/** Largest response, in bytes. */
const MAX_RESPONSE = 4_000_000;

/** How an engine is asked; tests ask faster. */
export interface EngineClientOptions {
  /** Milliseconds that one request may take. */
  timeLimit?: number;
  /** Milliseconds before the second attempt; doubled with each. */
  initialWait?: number;
}

/** Posts JSON to the server of an engine, and returns the body of its response. */
export type PostToEngine = (path: string, body: string, headers?: Record<string, string>) => Promise<string>;

/**
 * Opens the way to an engine whose URL the operator has configured: with the client for outbound requests, which follows no
 * redirects and bounds time and size, but to any address. What may pass is tried again, within bounds.
 */
export function createEngineClient(
  url: string,
  engineName: string,
  { timeLimit = 120_000, initialWait = 2000 }: EngineClientOptions = {},
): PostToEngine {
  const outbound: Outbound = openOutbound({ allowed: ANY_ADDRESS, timeLimit });
  return async (path, body, headers = {}) => {
    let problem = '';
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const response = await outbound.post(`${url}${path}`, { body, headers, maxBytes: MAX_RESPONSE });
      if (!('problem' in response) && response.status >= 200 && response.status < 300) return response.body;
      problem = 'problem' in response ? response.problem : `It responds with status ${response.status}.`;
      // Other statuses would be the same again.
      if (
        !('problem' in response) &&
        response.status < 500 &&
        response.status !== 429 &&
        response.status !== 408
      )
        break;
      if (attempt === ATTEMPTS) break;
      const retryAfter = 'retryAfter' in response ? (response.retryAfter ?? 0) * 1000 : 0;
      await sleep(Math.min(MAX_WAIT, Math.max(retryAfter, initialWait * 2 ** (attempt - 1))));
    }
    throw new EngineFailure(`${engineName} cannot be used: ${problem}`);
  };
}
