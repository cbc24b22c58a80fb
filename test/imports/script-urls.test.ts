import { afterAll, beforeAll, expect, test } from 'vitest';
import { signVisitorToken } from '../../routers/access/visitor-token.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { setImportScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('imported URLs that run scripts are reported and kept, but clients get no address of them to follow', async () => {
  const scene = await setImportScene(service, { editMode: 'live' });
  await scene.write({
    'README.md': '# Home\n\n[Save](javascript:save()) this page, or [chat](slack://open).\n',
    'SUMMARY.md': '* [Home](README.md)\n* [Run](javascript:run())\n* [Chat](slack://open)\n',
  });
  const message = (url: string) => `The URL "${url}" runs a script, so nothing leads to it on pages.`;
  expect((await scene.import()).report).toEqual([
    { file: 'README.md', line: 3, severity: 'warning', message: message('javascript:save()') },
    { file: 'SUMMARY.md', line: 2, severity: 'warning', message: message('javascript:run()') },
  ]);
  const { pages } = (await scene.get('/content')).body;
  expect(pages[1]).toMatchObject({ title: 'Run', target: { kind: 'url', url: 'javascript:run()' } });
  expect(pages[1]).not.toHaveProperty('href');
  expect(pages[2]).toMatchObject({ title: 'Chat', href: 'slack://open' });

  const { id: site } = await service.build.site(scene.organization, { spaces: [scene.space] });
  const { signer } = service.runtime.services;
  const claims = { signed: {}, unsigned: {} } as never;
  const token = await signVisitorToken(signer, { site, organization: scene.organization, pass: {}, claims });
  const read = await service
    .as(token)
    .get(`/spaces/${scene.space}/content/page/${pages[0].id}?format=markdown`);
  expect(read.body.markdown).toBe('# Home\n\n[Save](#) this page, or [chat](slack://open).\n');

  // The other words of the page can be edited.
  const edit = { operation: 'update_page', page: pages[0].id };
  await scene.edit([{ ...edit, document: { markdown: '[Save](javascript:save()) that page.\n' } }]);
  const other = { ...edit, document: { markdown: '[Load](javascript:load())\n' } };
  const refused = await scene.post('/content', { changes: [other] });
  expect(refused.status).toBe(400);
  expect(refused.body.error.details).toEqual([
    {
      path: 'changes.0.document',
      message: 'The URL "javascript:load()" runs a script, so nothing may lead to it.',
    },
  ]);
});
