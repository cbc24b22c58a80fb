import { expect } from 'vitest';
import type { Client, TestService } from '../helpers/service.ts';

/** A space with one page of three paragraphs, and its organization's admin. */
export interface Scene {
  organization: string;
  space: string;
  /** Id of the page. */
  page: string;
  me: Client;
  admin: { id: string; token: string };
  /** Path of the space. */
  path: string;
}

export const MARKDOWN = 'First paragraph.\n\nSecond paragraph.\n\nThird paragraph.\n';

export async function setScene(service: TestService): Promise<Scene> {
  const { id: organization, admin } = await service.build.organization();
  const { id: space } = await service.build.space(organization);
  const me = service.as(admin.token);
  const path = `/spaces/${space}`;
  const made = await me.post(`${path}/content`, {
    compat: false,
    changes: [{ operation: 'insert_page', title: 'Page', document: { markdown: MARKDOWN } }],
  });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  return { organization, space, page: made.body.changes.pages[0].id, me, admin, path };
}

/** Opens a change request and gives its path and id. */
export async function open(
  { me, path }: Scene,
  given: { subject?: string } = {},
): Promise<{ at: string; id: string; number: number }> {
  const { status, body } = await me.post(`${path}/change-requests`, given);
  expect(status, JSON.stringify(body)).toBe(201);
  return { at: `${path}/change-requests/${body.id}`, id: body.id, number: body.number };
}

/** Edits the content below a path: that of a space or of a change request. */
export async function edit(client: Client, at: string, ...changes: object[]): Promise<void> {
  const { status, body } = await client.post(`${at}/content`, { changes });
  expect(status, JSON.stringify(body)).toBe(200);
}

/** Changes the page of the scene. */
export const rewrite = ({ me, page }: Scene, at: string, change: object): Promise<void> =>
  edit(me, at, { operation: 'update_page', page, ...change });

/** The Markdown of the page of the scene below a path. */
export async function readPage({ me, page }: Scene, at: string) {
  const { status, body } = await me.get(`${at}/content/page/${page}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}
