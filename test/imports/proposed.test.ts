import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type ImportScene, setImportScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const DOCS = {
  'SUMMARY.md': '* [Home](README.md)\n* [Guide](guide.md)\n',
  'README.md': '# Home\n\nWelcome.\n',
  'guide.md': '# Guide\n\nFirst.\n',
};

const merge = async (scene: ImportScene, id: string) =>
  (await scene.post(`/change-requests/${id}/merge`)).body.result;
const rewrite = async (scene: ImportScene, path: string, markdown: string, changeRequest?: string) => {
  const ids = await scene.ids(changeRequest);
  const change = { operation: 'update_page', page: ids[path], document: { markdown } };
  await scene.edit([change], changeRequest);
};

describe.each([
  ['into a locked space', { editMode: 'locked' as const }, {}],
  ['on request', {}, { changeRequest: true }],
])('an import into a change request, %s', (_, fields, options) => {
  test('an import into a change request leaves the space alone until the change request is merged', async () => {
    const scene = await setImportScene(service, fields);
    const before = (await scene.get('/content')).body;
    await scene.write(DOCS);
    const { changeRequest, changes, revision } = await scene.import(options);
    expect([changes, revision]).toEqual([[], before.id]);
    expect((await scene.get('/content')).body).toEqual(before);
    expect(changeRequest?.changes.map(({ type, path }) => `${type} ${path}`).sort()).toEqual([
      'page_created guide',
      'page_created readme',
    ]);
    const id = changeRequest?.id as string;
    const imported = { readme: 'Home: Welcome.', guide: 'Guide: First.' };
    expect(await scene.read(id)).toEqual(imported);
    expect(await merge(scene, id)).toBe('merge');
    expect(await scene.read()).toEqual(imported);

    await scene.write({ 'guide.md': '# Guide\n\nSecond.\n' });
    const next = await scene.import(options);
    expect(next.changeRequest).toMatchObject({
      number: 2,
      changes: [{ type: 'page_edited', path: 'guide' }],
    });
    expect(await merge(scene, next.changeRequest?.id as string)).toBe('merge');
    expect(await scene.read()).toEqual({ ...imported, guide: 'Guide: Second.' });
  });

  test('further imports go into the same change request while it is open, keep edits in it, and add conflicts', async () => {
    const scene = await setImportScene(service, fields);
    await scene.write(DOCS);
    const first = (await scene.import(options)).changeRequest;
    const id = first?.id as string;
    await rewrite(scene, 'readme', 'Edited in the change request.', id);
    expect((await scene.import(options)).changeRequest).toMatchObject({ id, conflicts: 0 });
    await scene.write({ 'guide.md': '# Guide\n\nSecond.\n' });
    expect((await scene.import(options)).changeRequest).toMatchObject({ id, conflicts: 0 });
    const merged = { readme: 'Home: Edited in the change request.', guide: 'Guide: Second.' };
    expect(await scene.read(id)).toEqual(merged);

    await scene.write({ 'README.md': '# Home\n\nEdited in the folder.\n' });
    const { changeRequest, report } = await scene.import(options);
    expect(changeRequest).toMatchObject({ id, conflicts: 1 });
    expect(report).toMatchObject([{ file: 'README.md', severity: 'warning' }]);
    expect(await scene.read(id)).toEqual(merged);
    expect(await merge(scene, id)).toBe('conflicts');
    const { body } = await scene.get(`/change-requests/${id}/conflicts`);
    const [conflict] = body.items ?? body;
    await scene.edit([{ operation: 'resolve_conflict', conflict: conflict.id, take: 'theirs' }], id);
    expect(await merge(scene, id)).toBe('merge');
    expect(await scene.read()).toEqual({ ...merged, readme: 'Home: Edited in the folder.' });
  });

  test('an import opens another change request with everything after the first was archived', async () => {
    const scene = await setImportScene(service, fields);
    await scene.write(DOCS);
    const { changeRequest } = await scene.import(options);
    const archived = await scene.admin.patch(`/spaces/${scene.space}/change-requests/${changeRequest?.id}`, {
      status: 'archived',
    });
    expect(archived.status).toBe(200);
    expect((await scene.import(options)).changeRequest).toBeUndefined();
    await scene.write({ 'guide.md': '# Guide\n\nSecond.\n' });
    const next = (await scene.import(options)).changeRequest;
    expect(next).toMatchObject({ number: 2, conflicts: 0 });
    expect(await scene.read(next?.id)).toEqual({ readme: 'Home: Welcome.', guide: 'Guide: Second.' });
  });
});

test('no list of changes has what only the files of a repository show, and it is merged all the same', async () => {
  const scene = await setImportScene(service);
  await scene.write(DOCS);
  await scene.import();
  // The quoted text is the label in navigation, which no page of the API has.
  await scene.write({ 'SUMMARY.md': '* [Home](README.md)\n* [Guide](guide.md "Short")\n' });
  const { changeRequest } = await scene.import({ changeRequest: true });
  expect(changeRequest).toMatchObject({ changes: [], more: 0 });
  const path = `/change-requests/${changeRequest?.id}`;
  expect((await scene.get(`${path}/changes`)).body).toEqual({ changes: [] });
  expect((await scene.get(`${path}/comparison`)).body.items).toEqual([]);
  const { body: merged } = await scene.post(`${path}/merge`);
  expect(merged.result).toBe('merge');
  const ofMerge = (await scene.get(`/revisions/${merged.revision}/changes`)).body;
  expect(ofMerge).toEqual({ changes: [], mergedFrom: expect.anything() });

  await scene.write({ 'SUMMARY.md': '* [Home](README.md)\n* [Manual](guide.md "Brief")\n' });
  const { revision } = await scene.import();
  const { changes } = (await scene.get(`/revisions/${revision}/changes`)).body;
  expect(changes).toEqual([
    {
      type: 'page_edited',
      page: expect.objectContaining({ path: 'guide' }),
      attributes: { title: { before: 'Guide', after: 'Manual' } },
    },
  ]);
});

test('an import into the space also merges what was only proposed before', async () => {
  const scene = await setImportScene(service);
  await scene.write(DOCS);
  await scene.import({ changeRequest: true });
  await scene.import();
  expect(await scene.read()).toEqual({ readme: 'Home: Welcome.', guide: 'Guide: First.' });
  expect((await scene.import()).changes).toEqual([]);
});

test('an import into a change request also has conflicts with the space', async () => {
  const scene = await setImportScene(service);
  await scene.write(DOCS);
  await scene.import();
  await rewrite(scene, 'guide', 'By people.');
  await scene.write({ 'guide.md': '# Guide\n\nBy the folder.\n', 'README.md': '# Home\n\nHello.\n' });
  const { changeRequest, changes } = await scene.import({ changeRequest: true });
  expect([changes, changeRequest?.conflicts]).toEqual([[], 1]);
  expect(await scene.read(changeRequest?.id)).toEqual({
    readme: 'Home: Hello.',
    guide: 'Guide: By the folder.',
  });
});
