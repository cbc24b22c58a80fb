import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { createCaller } from '../../routers/index.ts';
import { toolContext } from '../../server/context.ts';
import { makeFolder } from '../helpers/folders.ts';
import type { Client, TestService } from '../helpers/service.ts';
import { unzip } from '../helpers/zip.ts';

/** A folder on the disk that is imported into one space, as by the CLI. */
export interface ImportScene {
  folder: string;
  organization: string;
  space: string;
  admin: Client;
  /** Writes files below the folder; null removes one. */
  write(files: Record<string, string | Uint8Array | null>): Promise<void>;
  import(options?: {
    changeRequest?: boolean;
    dryRun?: boolean;
    space?: string;
    site?: string;
    onProgress?: () => void;
  }): Promise<Outcome>;
  /** Edits the content of the space, or of a change request. */
  edit(changes: object[], changeRequest?: string): Promise<void>;
  /** The title and Markdown of each page by its path, in the space or in a change request. */
  read(changeRequest?: string): Promise<Record<string, string>>;
  /** The id of each page by its path. */
  ids(changeRequest?: string): Promise<Record<string, string>>;
  get(path: string): Promise<{ status: number; body: ResponseBody }>;
  post(path: string, body?: object): Promise<{ status: number; body: ResponseBody }>;
}

// biome-ignore lint/suspicious/noExplicitAny: any response of the service
type ResponseBody = any;
type Outcome = Awaited<
  ReturnType<ReturnType<typeof createCaller>['installation']['content']['importFolder']>
>;

interface PageTree {
  id: string;
  path: string;
  pages?: PageTree[];
}

/** The files of an export of the space. */
export async function exportedFiles(
  service: TestService,
  { space, admin }: Pick<ImportScene, 'space' | 'admin'>,
): Promise<Record<string, string>> {
  const { body } = await admin.post('/user/tokens', { name: 'export' });
  const { rawPayload } = await service.app.inject({
    url: `/v1/spaces/${space}/content/export`,
    headers: { authorization: `Bearer ${body.token}` },
  });
  return unzip(rawPayload);
}

/** Makes a folder and an empty space to import it into. */
export async function setImportScene(
  service: TestService,
  fields: { editMode?: 'live' | 'locked' } = {},
): Promise<ImportScene> {
  const { id: organization, admin: person } = await service.build.organization();
  const { id: space } = await service.build.space(organization, fields);
  const admin = service.as(person.token);
  const folder = await makeFolder('docs');
  const operator = createCaller(toolContext(service.runtime.database, service.runtime.services));
  const at = (changeRequest?: string) =>
    changeRequest ? `/spaces/${space}/change-requests/${changeRequest}` : `/spaces/${space}`;
  const pagesOf = async (path: string) => {
    const { body } = await admin.get(`${path}/content/pages`);
    const flat = (pages: PageTree[]): PageTree[] =>
      pages.flatMap((page) => [page, ...flat(page.pages ?? [])]);
    return flat(body.pages);
  };
  return {
    folder,
    organization,
    space,
    admin,
    async write(files) {
      for (const [path, content] of Object.entries(files)) {
        if (content === null) {
          await rm(join(folder, path));
          continue;
        }
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), content);
      }
    },
    import: (options = {}) =>
      operator.installation.content.importFolder({ folder, space, organization, ...options }),
    async edit(changes, changeRequest) {
      const { status, body } = await admin.post(`${at(changeRequest)}/content`, { changes });
      expect(status, JSON.stringify(body)).toBe(200);
    },
    async read(changeRequest) {
      const texts: Record<string, string> = {};
      for (const { id, path } of await pagesOf(at(changeRequest))) {
        const { body } = await admin.get(`${at(changeRequest)}/content/page/${id}`);
        // The title stands first in the Markdown.
        const text = (body.markdown ?? '').replace(/^# .*\n/, '').trim();
        texts[path] = `${body.title}: ${text}`;
      }
      return texts;
    },
    ids: async (changeRequest) =>
      Object.fromEntries((await pagesOf(at(changeRequest))).map(({ id, path }) => [path, id])),
    get: (path) => admin.get(`/spaces/${space}${path}`),
    post: (path, body = {}) => admin.post(`/spaces/${space}${path}`, body),
  };
}
