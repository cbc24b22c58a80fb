import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import { editedSpace } from '../content/edited-space.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { petstore, processSpecs } from '../helpers/specs.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const pinnedTo = (version: string) => ({ kind: 'openapi', spec: `pets@${version}` });
const computedFrom = (version: string) => ({
  operation: 'insert_page',
  type: 'computed',
  title: 'API',
  computed: { type: 'builtin:openapi', dependencies: { spec: { ref: pinnedTo(version) } } },
});

test('a spec keeps its latest versions, and older ones that content refers to', async () => {
  const { admin, organization, id: space, content } = await editedSpace(service);
  const specs = `/orgs/${organization}/openapi`;
  const publish = async (title: string) => {
    expect((await admin.put(`${specs}/pets`, { source: { text: petstore(title) } })).status).toBe(200);
    await processSpecs(service);
    return (await admin.get(`${specs}/pets`)).body;
  };
  const versions = async (): Promise<string[]> =>
    (await admin.get(`${specs}/pets/versions?limit=1000`)).body.items.map(({ id }: { id: string }) => id);

  const first = await publish('First');
  const { database } = service.runtime;
  /** Adds versions as if each was published. */
  const add = async (count: number) => {
    const { id: _, ...version } = await database.db
      .selectFrom('openapi_spec_version')
      .selectAll()
      .where('id', '=', first.lastVersion)
      .executeTakeFirstOrThrow();
    const ids = Array.from({ length: count }, () => newId());
    await database.db
      .insertInto('openapi_spec_version')
      .values(ids.map((id) => ({ ...version, id })))
      .execute();
    return ids;
  };
  const old = await add(20);
  const [inDocument = '', inPage = '', inChangeRequest = '', unused = ''] = old;
  await admin.post(content, {
    changes: [
      {
        operation: 'insert_page',
        title: 'Page',
        document: { markdown: `[Pets](/openapi/pets@${inDocument})` },
      },
      computedFrom(inPage),
    ],
  });
  const { body: changeRequest } = await admin.post(`/spaces/${space}/change-requests`);
  await admin.post(`/spaces/${space}/change-requests/${changeRequest.id}/content`, {
    changes: [computedFrom(inChangeRequest)],
  });

  // A few more than are kept do not cause a removal.
  const latest = await add(97);
  const { lastVersion } = await publish('Second');
  expect(await versions()).toHaveLength(119);
  const { lastVersion: last } = await publish('Third');
  const kept = [last, lastVersion, ...latest.toReversed(), old.at(-1)];
  expect(await versions()).toEqual([...kept, inChangeRequest, inPage, inDocument]);
  expect((await admin.get(`${specs}/pets/versions/${unused}`)).status).toBe(404);
});
