import { afterAll, beforeAll, expect, test } from 'vitest';
import { importSource } from '../../routers/imports/import.operation.ts';
import { toolContext } from '../../server/context.ts';
import { openSessionFor } from '../auth/browser.ts';
import { memorySource } from '../engine/import/memory-source.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

const NOTE = '.gitbook/includes/note.md';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('a preview of a change request marks what it changes in reusable contents, and lists these', async () => {
  const { id: organization, admin } = await service.build.organization();
  const { id: space } = await service.build.space(organization);
  const { cookie } = await openSessionFor(service, admin.id);
  const page = async (path: string) => {
    const url = `/preview/spaces/${space}/${path}/`;
    const { statusCode, body } = await service.app.inject({ url, headers: { host: 'docs.test', cookie } });
    expect(statusCode).toBe(200);
    return body;
  };
  const importFiles = (files: Record<string, string>, changeRequest: boolean) => {
    const guide = `# Guide\n\nOn the page.\n\n{% include "${NOTE}" %}\n`;
    const source = memorySource({ 'SUMMARY.md': '* [Guide](guide.md)\n', 'guide.md': guide, ...files });
    const context = toolContext(service.runtime.database, service.runtime.services);
    return importSource(context, { space, author: admin.id, source, changeRequest });
  };
  const note = (text: string) => `---\ntitle: Note\n---\n\nKept.\n\n${text}\n`;
  await importFiles({ [NOTE]: note('The words before. Taken out.') }, false);
  await importFiles({ [NOTE]: note('The words after. Put in.\n\nAnd more.') }, true);

  const preview = await page('change-requests/1');
  expect(preview).toMatch(/<p>On the page\.<\/p>\s*<p>Kept\.<\/p>\s*<div class="difference/);
  expect(preview).toMatch(
    /<div class="difference changed"><p class="mark-name">Changed<\/p><p>The words after\. Put in\.<\/p>/,
  );
  expect(preview).toMatch(/<div class="difference added"><p class="mark-name">Added<\/p><p>And more\.<\/p>/);
  expect(preview).toMatch(/<span class="page-mark changed"><\/span> Note <small>Reusable content · Changed</);
  expect(await page('content')).not.toContain('class="difference');
});
