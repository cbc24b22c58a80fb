import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Logger } from '../../routers/base/context.ts';
import type { EngineQuery, EngineWord, SearchEngine, TermDocument } from '../../routers/base/search-ports.ts';
import type { EngineMatch } from '../../routers/engine/search/ranking.ts';
import { encodeRoaring } from '../../routers/engine/search/roaring.ts';
import { OpenSearchIndex } from './opensearch-index.ts';
import type { SearchSettings } from './settings.ts';

/** Maximum number of results of a query: the default limit of an index. */
const MAX_HITS = 10_000;
/** Maximum number of terms in a query: an index allows 1024 clauses, of which some are for filters. */
const MAX_TERMS = 900;

/** Approximate size of a request that adds documents, in characters. */
const BULK_LENGTH = 4_000_000;

/**
 * The definition of the index. Terms are indexed unchanged, with their impact as their frequency, and the score of a document is
 * the sum of the impacts times the boosts. So results are ranked in the same way whichever engine stores the terms.
 */
const INDEX = {
  settings: {
    analysis: {
      analyzer: { terms: { type: 'custom', tokenizer: 'whitespace', filter: ['delimited_term_freq'] } },
    },
    similarity: {
      weight: { type: 'scripted', script: { source: 'return query.boost * doc.freq;' } },
    },
  },
  mappings: {
    dynamic: 'strict',
    _source: { enabled: false },
    properties: {
      organization: { type: 'keyword' },
      number: { type: 'integer' },
      terms: { type: 'text', analyzer: 'terms', similarity: 'weight', norms: false, index_options: 'freqs' },
    },
  },
};

const AlreadyExists = z.object({ error: z.object({ type: z.literal('resource_already_exists_exception') }) });
const RemovalResponse = z.object({ failures: z.array(z.unknown()).default([]) });
const BulkResponse = z.object({ errors: z.boolean() });
const CountResponse = z.object({
  aggregations: z.object({
    terms: z.object({ buckets: z.record(z.string(), z.object({ doc_count: z.number() })) }),
  }),
});
const SearchResponse = z.object({
  timed_out: z.boolean(),
  hits: z
    .object({
      hits: z.array(
        z.object({
          _id: z.string(),
          _score: z.number(),
          matched_queries: z.array(z.string()).default([]),
        }),
      ),
    })
    .optional(),
});

/** Creates the client of a search engine with the API of OpenSearch, 2.17 or newer. */
export const openSearchEngine = (settings: SearchSettings, logger: Logger): SearchEngine =>
  new OpenSearchEngine(new OpenSearchIndex(settings, logger));

class OpenSearchEngine implements SearchEngine {
  readonly id: string;
  readonly #index: OpenSearchIndex;

  constructor(index: OpenSearchIndex) {
    this.#index = index;
    this.id = `opensearch ${createHash('sha256').update(index.url).digest('hex').slice(0, 12)}`;
  }

  async upsert(organization: string, documents: readonly TermDocument[]): Promise<void> {
    await this.#createIndex();
    const batches = batchesOf(documents.map((document) => bulkLines(organization, document)));
    for (const [index, lines] of batches.entries()) {
      const refresh = index === batches.length - 1 ? 'wait_for' : 'false';
      const path = `/_bulk?refresh=${refresh}&filter_path=errors`;
      const { errors } = await this.#index.request(BulkResponse, path, lines);
      if (errors) throw this.#index.unavailable('It rejects some of the documents.');
    }
  }

  async remove(organization: string, documents?: readonly number[]): Promise<void> {
    await this.#createIndex();
    const filter = [inOrganization(organization), ...(documents ? [amongNumbers(bitmapOf(documents))] : [])];
    const query = { query: { bool: { filter } } };
    const { failures } = await this.#index.request(
      RemovalResponse,
      '/_delete_by_query?conflicts=proceed&refresh=true&filter_path=failures',
      query,
    );
    if (failures.length > 0) throw this.#index.unavailable('It fails to remove some of the documents.');
  }

  async frequencies(
    organization: string,
    terms: readonly string[],
    membership: Uint8Array,
  ): Promise<Map<string, number>> {
    const filters = Object.fromEntries(terms.map((term, index) => [index, { term: { terms: term } }]));
    const { aggregations } = await this.#index.request(
      CountResponse,
      '/_search?filter_path=aggregations',
      {
        size: 0,
        // guard: search-engine-visible-frequencies
        query: { bool: { filter: [inOrganization(organization), amongNumbers(membership)] } },
        aggs: { terms: { filters: { filters } } },
      },
      { isQuery: true },
    );
    const { buckets } = aggregations.terms;
    return new Map(
      terms.flatMap((term, index) => {
        const count = buckets[index]?.doc_count ?? 0;
        return count > 0 ? [[term, count] as const] : [];
      }),
    );
  }

  async search(organization: string, query: EngineQuery): Promise<EngineMatch[]> {
    const { hits, timed_out } = await this.#index.request(
      SearchResponse,
      '/_search?filter_path=timed_out,hits.hits._id,hits.hits._score,hits.hits.matched_queries',
      searchBody(organization, query),
      { isQuery: true },
    );
    // guard: search-engine-timeout
    if (timed_out) throw this.#index.unavailable('It takes too long.');
    return (hits?.hits ?? []).map(
      ({ _id, _score, matched_queries }): EngineMatch => ({
        document: Number(_id.slice(_id.lastIndexOf('.') + 1)),
        score: _score,
        words: matched_queries.map(Number),
      }),
    );
  }

  /** Creates the index unless it exists: adding documents first would create one with default mappings. */
  async #createIndex(): Promise<void> {
    const { isSuccess, body } = await this.#index.send('', INDEX, { method: 'PUT' });
    if (isSuccess || AlreadyExists.safeParse(body).success) return;
    throw this.#index.unavailable(`It rejects the index: ${JSON.stringify(body).slice(0, 500)}`);
  }
}

/** The lines of a bulk request that add a document. Terms contain neither spaces nor vertical bars. */
const bulkLines = (organization: string, { number, terms }: TermDocument): string => {
  const termsWithImpact = terms.map(([term, impact]) => `${term}|${impact}`).join(' ');
  return `${JSON.stringify({ index: { _id: `${organization}.${number}` } })}\n${JSON.stringify({ organization, number, terms: termsWithImpact })}\n`;
};

function batchesOf(texts: readonly string[]): string[] {
  const batches: string[] = [];
  let batch: string[] = [];
  let length = 0;
  for (const text of texts) {
    if (length > 0 && length + text.length > BULK_LENGTH) {
      batches.push(batch.join(''));
      batch = [];
      length = 0;
    }
    batch.push(text);
    length += text.length;
  }
  if (batch.length > 0) batches.push(batch.join(''));
  return batches;
}

const inOrganization = (organization: string) => ({ term: { organization } });

const amongNumbers = (members: Uint8Array) => ({
  terms: { number: [encodeRoaring(members).toString('base64')], value_type: 'bitmap' },
});

function bitmapOf(numbers: readonly number[]): Uint8Array {
  const members = new Uint8Array(numbers.reduce((max, number) => Math.max(max, number), 0) + 1);
  for (const number of numbers) members[number] = 1;
  return members;
}

function searchBody(organization: string, { words, excluded, membership }: EngineQuery): object {
  const maxTerms = Math.floor(MAX_TERMS / Math.max(1, words.length));
  const clauses = words.map(({ terms, isRequired }, index) => ({
    isRequired,
    clause: {
      dis_max: {
        _name: String(index),
        queries: terms
          .slice(0, maxTerms)
          .map(({ term, worth }) => ({ term: { terms: { value: term, boost: worth } } })),
      },
    },
  }));
  const pick = (required: boolean) =>
    clauses
      .filter(({ isRequired }: Pick<EngineWord, 'isRequired'>) => isRequired === required)
      .map(({ clause }) => clause);
  const [must, should] = [pick(true), pick(false)];
  return {
    size: MAX_HITS,
    _source: false,
    track_total_hits: false,
    // A stable order, so that the limit always cuts off the same of those with equal scores.
    sort: ['_score', { number: 'asc' }],
    query: {
      bool: {
        // guard: search-engine-organization
        filter: [inOrganization(organization), amongNumbers(membership)],
        must,
        should,
        minimum_should_match: must.length > 0 ? 0 : 1,
        must_not: excluded.length > 0 ? [{ terms: { terms: excluded } }] : [],
      },
    },
  };
}
