import { indexSpaces } from '../../routers/search/index-spaces.operation.ts';
import { mergeSegments } from '../../routers/search/merge-segments.operation.ts';
import { type Client, expectOk, type TestService } from '../helpers/service.ts';

/** The context of jobs, which have no caller. */
export const contextOf = ({ runtime: { database, services } }: TestService) => ({
  db: database.db,
  transaction: database.transaction.bind(database),
  services,
});

/** Indexes an organization like the jobs do, which do not run in tests. */
export async function index(service: TestService, organization: string): Promise<void> {
  const context = contextOf(service);
  await indexSpaces(context, organization);
  await mergeSegments(context, organization);
}

/** A change that inserts a page. */
export const page = (title: string, markdown: string, fields: object = {}) => ({
  operation: 'insert_page',
  title,
  document: { markdown },
  ...fields,
});

/** Creates a space with pages. Returns its id, and the ids of the pages by title. */
export async function spaceWith(
  client: Client,
  organization: string,
  changes: readonly object[],
  fields: object = {},
): Promise<{ id: string; pages: Record<string, string> }> {
  const { id } = await expectOk(client.post(`/orgs/${organization}/spaces`, { title: 'Guides', ...fields }));
  const edited = await expectOk(client.post(`/spaces/${id}/content`, { compat: false, changes }));
  const pages: Record<string, string> = {};
  for (const { id, page } of edited.changes.pages) pages[page.title] = id;
  return { id, pages };
}

/** Returns the titles of the pages that a query finds in a space, in order. */
export async function titlesIn(client: Client, space: string, query: string): Promise<string[]> {
  const { items } = await expectOk(client.get(`/spaces/${space}/search?query=${encodeURIComponent(query)}`));
  return items.map(({ title }: { title: string }) => title);
}

/** Changes that insert the pages of the scene. */
export const PAGES: readonly object[] = [
  page('Buffering', 'Intro.\n\n## Memory limits\n\nSet `Mem_Buf_Limit` to bound the memory of an input.'),
  page('Kubernetes', 'The filter enriches records with the name of the pod and its namespace.'),
  page('Configuration', 'Running configurations are read from files. See foo.barBaz for details.'),
  page('Café', 'Naïve résumé of what coffee is. The pod of coffee is limited.'),
  page('搜索指南', '你可以在文档中搜索任何内容，也可以使用过滤器。'),
  page('Group', 'A page about groups.', { ref: 'group' }),
  page(
    'Operation',
    '{% openapi-operation spec="pets" path="/pet_owners/{ownerId}" method="delete" %}\n{% endopenapi-operation %}',
  ),
  page('Child', 'Something below about tangerines.', { into: 'group' }),
  page('Excluded', 'Something about tangerines that is not indexed.', { noIndex: true }),
];

/** Queries, and the titles of the scene's pages that they find, in order. */
export const QUERIES: readonly (readonly [query: string, titles: readonly string[]])[] = [
  ['memory limit', ['Buffering', 'Café']],
  ['Mem_Buf_Limit', ['Buffering']],
  ['mem_buf', ['Buffering']],
  ['barBaz', ['Configuration']],
  ['foo.barBaz', ['Configuration']],
  ['running configuration', ['Configuration']],
  ['konfiguration', ['Configuration']],
  ['konfigurazion', []],
  ['configuratoin', ['Configuration']],
  ['kuber', ['Kubernetes']],
  ['kubernetse', ['Kubernetes']],
  ['cafe', ['Café']],
  ['resume', ['Café']],
  ['搜索', ['搜索指南']],
  ['过滤', ['搜索指南']],
  ['how do I enrich the records', ['Kubernetes']],
  ['enrichment record', ['Kubernetes']],
  ['what is coffee and tea', ['Café']],
  ['limit tea coffee', ['Café', 'Buffering']],
  ['pod namespace', ['Kubernetes', 'Café']],
  ['pod', ['Kubernetes', 'Café']],
  ['pod -coffee', ['Kubernetes']],
  ['"name of the pod"', ['Kubernetes']],
  ['"pod of the name"', []],
  ['"memory of an input"', ['Buffering']],
  ['"foo.barBaz for"', ['Configuration']],
  ['tangerine', ['Child']],
  ['DELETE /pet_owners/{ownerId}', ['Operation']],
  ['ownerId', ['Operation']],
  ['the of and', []],
];
