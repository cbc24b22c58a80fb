import type { z } from 'zod';
import type { Logger } from '../../routers/base/context.ts';
import { DomainError } from '../../routers/engine/errors.ts';
import { ANY_ADDRESS } from '../hardening/address-rules.ts';
import { openOutbound } from '../hardening/outbound.ts';
import type { SearchSettings } from './settings.ts';

/** Time limits for queries and for changes to the index, in milliseconds. */
const QUERY_LIMIT = 10_000;
const WRITE_LIMIT = 300_000;

const MAX_RESPONSE = 4_000_000;

interface RequestOptions {
  isQuery?: boolean;
  method?: 'POST' | 'PUT';
}

/** Sends requests to an index, and checks the responses. */
export class OpenSearchIndex {
  readonly url: string;
  readonly #authorization: string | undefined;
  readonly #logger: Logger;
  // Any address is allowed: the operator has configured the URL, which may be on this machine.
  readonly #querying = openOutbound({ allowed: ANY_ADDRESS, timeLimit: QUERY_LIMIT });
  readonly #writing = openOutbound({ allowed: ANY_ADDRESS, timeLimit: WRITE_LIMIT });

  constructor({ url, authorization }: SearchSettings, logger: Logger) {
    this.url = url;
    this.#authorization = authorization;
    this.#logger = logger;
  }

  /** Logs a problem, and returns the error for callers, who are not told what it is. */
  unavailable(problem: string): DomainError {
    this.#logger.warn({ problem }, 'search engine not available');
    return new DomainError('unavailable', 'The search engine cannot be used right now; try again soon.');
  }

  /**
   * Sends an object, or the lines of a bulk request. A request that the index rejects has a body too.
   * @param path the path below the index, with a query
   */
  async send(
    path: string,
    body: object | string,
    { isQuery = false, method = 'POST' }: RequestOptions = {},
  ): Promise<{ isSuccess: boolean; body: unknown }> {
    const response = await (isQuery ? this.#querying : this.#writing).post(`${this.url}${path}`, {
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: {
        ...(this.#authorization !== undefined && { authorization: this.#authorization }),
        ...(typeof body === 'string' && { 'content-type': 'application/x-ndjson' }),
      },
      maxBytes: MAX_RESPONSE,
      method,
    });
    if ('problem' in response) throw this.unavailable(response.problem);
    const { status } = response;
    if ((status < 200 || status > 299) && status !== 400)
      throw this.unavailable(`It responds with status ${status}: ${response.body.slice(0, 500)}`);
    try {
      return { isSuccess: status < 300, body: JSON.parse(response.body) };
    } catch {
      throw this.unavailable('Its response is not JSON.');
    }
  }

  /** Sends a request that must succeed, and parses its response. */
  async request<Shape extends z.ZodType>(
    shape: Shape,
    path: string,
    body: object | string,
    options?: RequestOptions,
  ): Promise<z.infer<Shape>> {
    const response = await this.send(path, body, options);
    const parsed = shape.safeParse(response.body);
    if (response.isSuccess && parsed.success) return parsed.data;
    throw this.unavailable(`Its response is not as expected: ${JSON.stringify(response.body).slice(0, 500)}`);
  }
}
