import type { ChangeRequestStatus } from '../../schema/enums.ts';
import type { Client, TestService } from '../helpers/service.ts';

export interface EditedSpace {
  id: string;
  organization: string;
  admin: Client;
  /** The token of the admin. */
  token: string;
  /** Has the edit level only. */
  editor: Client;
  /** Path of the space's content. */
  content: string;
  /** Ids of pages by title. */
  pages: Record<string, string>;
  changeRequest(given?: {
    status?: ChangeRequestStatus;
  }): Promise<{ path: string; number: number; id: string }>;
}

/** A new space with these top-level pages, given as their Markdown by title. */
export async function editedSpace(
  service: TestService,
  outline: Record<string, string> = {},
): Promise<EditedSpace> {
  const { build } = service;
  const organization = await build.organization();
  const editor = await build.member(organization.id, 'edit');
  const { id } = await build.space(organization.id);
  const content = `/spaces/${id}/content`;
  const admin = service.as(organization.admin.token);
  const pages: Record<string, string> = {};
  const entries = Object.entries(outline);
  if (entries.length > 0) {
    const changes = entries.map(([title, markdown]) => ({
      operation: 'insert_page',
      title,
      document: { markdown },
    }));
    const { body } = await admin.post(`${content}?compat=false`, { changes });
    for (const { id: page, page: made } of body.changes.pages) pages[made.title] = page;
  }
  return {
    id,
    organization: organization.id,
    admin,
    token: organization.admin.token,
    editor: service.as(editor.token),
    content,
    pages,
    async changeRequest(given = {}) {
      const made = await build.changeRequest(id, { createdBy: editor.id, ...given });
      return { ...made, path: `/spaces/${id}/change-requests/${made.number}` };
    },
  };
}

const titles = (pages: { title: string; pages?: never[] }[]): unknown =>
  pages.map(({ title, pages }) => (pages?.length ? [title, titles(pages)] : title));

/** The titles of pages, each with those below it: `['A', ['B', ['Below']]]`. */
export const outlineOf = async (client: Client, path: string) =>
  titles((await client.get(`${path}/pages`)).body.pages);
