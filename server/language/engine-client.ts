import { setTimeout as sleep } from 'node:timers/promises';
import { EngineFailure } from '../../routers/base/language-ports.ts';
import type { Outbound } from '../../routers/base/outbound-ports.ts';
import { ANY_ADDRESS } from '../hardening/address-rules.ts';
import { openOutbound } from '../hardening/outbound.ts';

/** Maximum number of attempts for a request. */
const ATTEMPTS = 4;

/** Longest wait before the next attempt, in milliseconds, even if the server asks for a longer one. */
const MAX_WAIT = 60_000;

/** Maximum size of a response, in bytes. */
const MAX_RESPONSE = 4_000_000;

/** Time limits, which are shorter in tests. */
export interface EngineClientOptions {
  /** Time limit for a request, in milliseconds. */
  timeLimit?: number;
  /** Wait before the second attempt, in milliseconds; doubled with each further one. */
  initialWait?: number;
}

/** Posts JSON to the server of an engine, and returns the body of its response. */
export type PostToEngine = (path: string, body: string, headers?: Record<string, string>) => Promise<string>;

/**
 * Creates the client of an engine whose URL the operator has configured: it uses the client for outbound requests, which
 * follows no redirects and limits time and size, but allows any address. Temporary failures are retried a few times.
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
      // A retry would not change other statuses.
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
