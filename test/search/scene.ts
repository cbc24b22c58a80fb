import { indexSpaces } from '../../routers/search/index-spaces.operation.ts';
import { mergeSegments } from '../../routers/search/merge-segments.operation.ts';
import { type Client, made, type TestService } from '../helpers/service.ts';

/** What jobs run with, without a caller. */
export const contextOf = ({ runtime: { database, services } }: TestService) => ({
  db: database.db,
  transaction: database.transaction.bind(database),
  services,
});

/** Indexes an organization, as its jobs do; they do not run in tests. */
export async function index(service: TestService, organization: string): Promise<void> {
  const context = contextOf(service);
  await indexSpaces(context, organization);
  await mergeSegments(context, organization);
}

/** A page of an edit. */
export const page = (title: string, markdown: string, fields: object = {}) => ({
  operation: 'insert_page',
  title,
  document: { markdown },
  ...fields,
});

/** A space with pages; returns its id, and those of the pages by their titles. */
export async function spaceWith(
  client: Client,
  organization: string,
  changes: readonly object[],
  fields: object = {},
): Promise<{ id: string; pages: Record<string, string> }> {
  const { id } = await made(client.post(`/orgs/${organization}/spaces`, { title: 'Guides', ...fields }));
  const edited = await made(client.post(`/spaces/${id}/content`, { compat: false, changes }));
  const pages: Record<string, string> = {};
  for (const { id, page } of edited.changes.pages) pages[page.title] = id;
  return { id, pages };
}

/** The titles of the pages that a query finds in a space, in order. */
export async function titlesIn(client: Client, space: string, query: string): Promise<string[]> {
  const { items } = await made(client.get(`/spaces/${space}/search?query=${encodeURIComponent(query)}`));
  return items.map(({ title }: { title: string }) => title);
}
