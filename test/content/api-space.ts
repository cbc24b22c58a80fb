import type { TestService } from '../helpers/service.ts';
import { editedSpace } from './edited-space.ts';
import { apiWith, publishSpec } from './published-spec.ts';

export const computedFrom = (spec: string) => ({
  type: 'builtin:openapi',
  dependencies: { spec: { ref: { kind: 'openapi', spec } } },
});
export const OPERATIONS = {
  'get /pets': { tags: ['Pets'], summary: 'List pets' },
  'post /pets': { tags: ['Pets'], summary: 'Add a pet' },
};

export interface Page {
  id: string;
  path: string;
  pages?: Page[];
}
const idsByPath = (pages: readonly Page[]): [string, string][] =>
  pages.flatMap(({ id, path, pages: below = [] }) => [[path, id], ...idsByPath(below)]);

/** A space with the pages of a spec at "api", and below the page "Guide" at "guide/reference", and a page "Links". */
export async function apiSpace(service: TestService) {
  const space = await editedSpace(service, { Guide: '', Links: '' });
  await publishSpec(service, space.organization, 'pets', apiWith(OPERATIONS));
  const insert = (title: string, into?: string) => ({
    operation: 'insert_page',
    type: 'computed',
    title,
    computed: computedFrom('pets'),
    into,
  });
  const { body } = await space.admin.post(`${space.content}?compat=false`, {
    changes: [insert('API'), insert('Reference', space.pages.Guide)],
  });
  const pages = Object.fromEntries(
    idsByPath((await space.editor.get(`${space.content}/pages`)).body.pages),
  ) as Record<string, string>;
  const write = (markdown: string, path = space.content) =>
    space.editor.post(path, {
      changes: [{ operation: 'update_page', page: space.pages.Links, document: { markdown } }],
    });
  const statusesIn = async (path = `/spaces/${space.id}`) => {
    const { items } = (await space.editor.get(`${path}/links`)).body as {
      items: { status: string; reference: { kind: string; page?: string; url?: string; anchor?: string } }[];
    };
    return items.flatMap(({ status, reference: { kind, page, url, anchor } }) =>
      kind === 'openapi' ? [] : [[page ?? url, ...(anchor === undefined ? [] : [anchor]), status]],
    );
  };
  return { ...space, computed: body.changes.pages[0].id as string, at: pages, write, statusesIn };
}
