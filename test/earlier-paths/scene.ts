import { type Client, expectOk, type TestService } from '../helpers/service.ts';
import { spaceWith } from '../search/scene.ts';

/** A published site with one space, and how readers find its pages. */
export interface MovesScene {
  admin: Client;
  organization: string;
  site: string;
  space: string;
  /** The ids of the pages by title. */
  pages: Record<string, string>;
  /** Changes the content of the space, in one revision. */
  edit(...changes: object[]): Promise<Record<string, string>>;
  /** The path to which a browser is sent from a path, or else the status of the page there. */
  open(path: string): Promise<string | number>;
  /** The rows of earlier slugs of the space, as `parent/slug page`, with titles for ids. */
  rows(): Promise<string[]>;
}

export const insert = (title: string, fields: object = {}) => ({
  operation: 'insert_page',
  title,
  document: { markdown: `Text of ${title}.` },
  ...fields,
});
export const group = (title: string, fields: object = {}) => ({
  operation: 'insert_page',
  type: 'group',
  title,
  ...fields,
});
export const update = (page: string | undefined, fields: object) => ({
  operation: 'update_page',
  page,
  ...fields,
});
export const remove = (page: string | undefined) => ({ operation: 'delete_page', page });

export async function setMovesScene(service: TestService, changes: readonly object[]): Promise<MovesScene> {
  const { id: organization, admin: person } = await service.build.organization();
  const admin = service.as(person.token);
  const { id: space, pages } = await spaceWith(admin, organization, [insert('Home'), ...changes]);
  const sites = `/orgs/${organization}/sites`;
  const { id: site } = await expectOk(admin.post(sites, { title: 'Docs', spaces: [space] }));
  await expectOk(admin.post(`${sites}/${site}/publish`));
  const at = `/sites/${site}`;
  return {
    admin,
    organization,
    site,
    space,
    pages,
    async edit(...more) {
      const { changes: made } = await expectOk(
        admin.post(`/spaces/${space}/content`, { compat: false, changes: more }),
      );
      for (const { id, page } of made.pages) if (page) pages[page.title] = id;
      return pages;
    },
    async open(path) {
      const { statusCode, headers } = await service.app.inject({
        url: at + path,
        headers: { host: 'docs.test', accept: 'text/html' },
      });
      return statusCode === 302 ? String(headers.location).replace(at, '') : statusCode;
    },
    async rows() {
      const titles = new Map(Object.entries(pages).map(([title, id]) => [id, title]));
      const rows = await service.runtime.database.db
        .selectFrom('earlier_slug')
        .select(['parent', 'slug', 'page'])
        .where('space_id', '=', space)
        .execute();
      return rows
        .map(
          ({ parent, slug, page }) => `${titles.get(parent) ?? parent}/${slug} ${titles.get(page) ?? page}`,
        )
        .sort();
    },
  };
}
