import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface StoredDocument {
  organization: string;
  number: number;
  /** The number of occurrences by term. */
  terms: Map<string, number>;
}

// biome-ignore lint/suspicious/noExplicitAny: clauses nest in many ways
type Clause = any;

interface FakeResponse {
  status: number;
  body: object;
}

/**
 * The part of OpenSearch that the service uses, as documented: one index of weighted terms. It rejects any other request.
 */
export interface FakeOpenSearch {
  /** The URL of the index, with credentials. */
  url: string;
  documents: Map<string, StoredDocument>;
  /** The requests so far. */
  requests: { path: string; authorization: string | undefined }[];
  /** The ids of the documents that the last search found. */
  found: string[];
  /** The response to every request, if set. */
  failure: FakeResponse | undefined;
  /** Whether searches report that they timed out. */
  timesOut: boolean;
  /** Whether searches also find documents outside the query's bitmap. */
  ignoresSets: boolean;
  close(): Promise<void>;
}

export async function startFakeOpenSearch(): Promise<FakeOpenSearch> {
  let hasIndex = false;
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { pathname } = new URL(request.url ?? '', 'http://fake');
    fake.requests.push({ path: pathname, authorization: request.headers.authorization });
    const { status, body } = fake.failure ?? respond(`${request.method} ${pathname}`, text);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });

  function respond(route: string, text: string): FakeResponse {
    if (route === 'PUT /colophon') {
      if (hasIndex) return errorResponse(400, 'resource_already_exists_exception');
      hasIndex = hasWeightedTerms(JSON.parse(text));
      return hasIndex ? { status: 200, body: {} } : errorResponse(400, 'mapper_parsing_exception');
    }
    if (!hasIndex) return errorResponse(404, 'index_not_found_exception');
    if (route === 'POST /colophon/_bulk') return addAll(text);
    if (route === 'POST /colophon/_delete_by_query') {
      const { query } = JSON.parse(text);
      for (const [id, document] of fake.documents) if (scoreOf(document, query)) fake.documents.delete(id);
      return { status: 200, body: {} };
    }
    if (route === 'POST /colophon/_search') return search(JSON.parse(text));
    return errorResponse(404, 'not_found');
  }

  function addAll(text: string): FakeResponse {
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (let at = 0; at < lines.length; at += 2) {
      const { organization, number, terms } = lines[at + 1];
      const weighted = (terms as string).split(' ').map((term): [string, number] => {
        const bar = term.indexOf('|');
        return [term.slice(0, bar), Number(term.slice(bar + 1))];
      });
      fake.documents.set(lines[at].index._id, { organization, number, terms: new Map(weighted) });
    }
    return { status: 200, body: { errors: false } };
  }

  function search({ query, size, aggs }: Clause): FakeResponse {
    const found = [...fake.documents].flatMap(([id, document]) => {
      const matched: string[] = [];
      const score = scoreOf(document, query, matched);
      return score ? [{ _id: id, _score: score.score, matched_queries: matched, document }] : [];
    });
    if (aggs) {
      const counts = Object.entries(aggs.terms.filters.filters).map(([name, filter]) => [
        name,
        { doc_count: found.filter(({ document }) => scoreOf(document, filter)).length },
      ]);
      return {
        status: 200,
        body: { aggregations: { terms: { buckets: Object.fromEntries(counts) } } },
      };
    }
    const hits = found
      .sort((one, other) => other._score - one._score || one.document.number - other.document.number)
      .slice(0, size)
      .map(({ document: _, ...hit }) => hit);
    fake.found = hits.map(({ _id }) => _id);
    return { status: 200, body: { timed_out: fake.timesOut, ...(hits.length > 0 && { hits: { hits } }) } };
  }

  /** The score of a document for a clause; undefined if it does not match. */
  function scoreOf(
    document: StoredDocument,
    clause: Clause,
    matched: string[] = [],
  ): { score: number } | undefined {
    const [[kind, content]] = Object.entries(clause) as [[string, Clause]];
    const all = (clauses: Clause[] = []) => clauses.map((one) => scoreOf(document, one, matched));
    const noted = (score: number) => {
      if (content._name !== undefined) matched.push(content._name);
      return { score };
    };
    if (kind === 'term') {
      if (content.organization !== undefined)
        return content.organization === document.organization ? { score: 0 } : undefined;
      const { value, boost = 1 } =
        content.terms.value === undefined ? { value: content.terms } : content.terms;
      const frequency = document.terms.get(value);
      return frequency === undefined ? undefined : { score: Math.fround(boost) * frequency };
    }
    if (kind === 'terms') {
      if (content.value_type === 'bitmap')
        return fake.ignoresSets || decodeRoaring(content.number[0]).has(document.number)
          ? { score: 0 }
          : undefined;
      return content.terms.some((term: string) => document.terms.has(term)) ? { score: 0 } : undefined;
    }
    if (kind === 'dis_max') {
      const scores = all(content.queries).flatMap((found) => found?.score ?? []);
      return scores.length > 0 ? noted(Math.max(...scores)) : undefined;
    }
    if (kind !== 'bool') throw new Error(`The fake does not know ${kind}.`);
    const [filter, must, should] = [all(content.filter), all(content.must), all(content.should)];
    if ([...filter, ...must].includes(undefined) || all(content.must_not).some((found) => found)) return;
    const some = should.flatMap((found) => found ?? []);
    if (some.length < (content.minimum_should_match ?? 0)) return undefined;
    return noted([...must, ...some].reduce((sum, found) => sum + (found?.score ?? 0), 0));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const fake: FakeOpenSearch = {
    url: `http://admin:s%40fe@127.0.0.1:${port}/colophon`,
    documents: new Map(),
    requests: [],
    found: [],
    failure: undefined,
    timesOut: false,
    ignoresSets: false,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

const errorResponse = (status: number, type: string): FakeResponse => ({ status, body: { error: { type } } });

/** Whether an index is configured to score terms by their given weights. */
function hasWeightedTerms({ settings, mappings }: Clause): boolean {
  const { terms } = mappings.properties;
  const analyzer = settings.analysis.analyzer[terms.analyzer];
  const { script } = settings.similarity[terms.similarity];
  return (
    analyzer.tokenizer === 'whitespace' &&
    analyzer.filter.join() === 'delimited_term_freq' &&
    terms.index_options === 'freqs' &&
    script.source === 'return query.boost * doc.freq;'
  );
}

/** Decodes a Roaring bitmap without run containers. */
export function decodeRoaring(base64: string): Set<number> {
  const bytes = Buffer.from(base64, 'base64');
  const numbers = new Set<number>();
  if (bytes.readUInt32LE(0) !== 12_346)
    throw new Error('This is not a Roaring bitmap without run containers.');
  const count = bytes.readUInt32LE(4);
  for (let index = 0; index < count; index++) {
    const base = bytes.readUInt16LE(8 + index * 4) * 65_536;
    const length = bytes.readUInt16LE(8 + index * 4 + 2) + 1;
    const offset = bytes.readUInt32LE(8 + count * 4 + index * 4);
    if (length <= 4096)
      for (let at = 0; at < length; at++) numbers.add(base + bytes.readUInt16LE(offset + at * 2));
    else
      for (let low = 0; low < 65_536; low++)
        if ((bytes[offset + (low >> 3)] as number) & (1 << (low & 7))) numbers.add(base + low);
  }
  return numbers;
}
