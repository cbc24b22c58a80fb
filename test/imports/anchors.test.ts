import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { setImportScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const DOCS = {
  'README.md':
    '# Home\n\n[a](guide.md#first) [b](guide.md#gone)\n[c](#here) and [d](#top), [e](#) and [f](#-)\n\n<a id="here"></a>\n',
  'guide.md': `---\ndescription: A guide\n---\n\n# The guide
\n{% include ".gitbook/includes/shared.md" %}\n\n<h2 align="center">First</h2>\n<p>Text</p>
\n## Step 1 - Install\n\n## Lost & *found*\n\n[own](#nowhere) [again](guide.md#nowhere) [top](#the-guide)
[step](#step-1---install) [shared](#shared-part) [lost](#lost--found) [note](README.md#lost%20part)\n`,
  'SUMMARY.md': '* [Home](README.md)\n* [Guide](guide.md)\n',
  '.gitbook/includes/shared.md': '## Shared part\n\n[any](#any) [guide](../../guide.md#missing)\n',
};

const page = (path: string, anchor: string) =>
  `The page "${path}" has no anchor "${anchor}", so the link to it leads to the beginning of the page.`;
const REPORT = [
  { file: '.gitbook/includes/shared.md', line: 3, severity: 'info', message: page('guide.md', 'missing') },
  { file: 'README.md', line: 3, severity: 'info', message: page('guide.md', 'gone') },
  {
    file: 'guide.md',
    line: 16,
    severity: 'info',
    message: 'The page has no anchor "nowhere", so the link to it leads nowhere.',
  },
  { file: 'guide.md', line: 17, severity: 'info', message: page('README.md', 'lost part') },
];

test('links to anchors that their pages do not have are reported, also if their files are unchanged', async () => {
  const scene = await setImportScene(service);
  await scene.write(DOCS);
  expect((await scene.import({ dryRun: true })).report).toEqual(REPORT);
  expect((await scene.import()).report).toEqual(REPORT);
  expect((await scene.import()).report).toEqual(REPORT);
  // As an earlier version may have indexed them.
  await service.runtime.database.transaction((em) =>
    em
      .getConnection()
      .execute("update document_link set anchors = '{}'", [], 'run', em.getTransactionContext()),
  );
  expect((await scene.import()).report).toEqual(REPORT);
  await scene.write({ 'guide.md': `${DOCS['guide.md']}\n## Gone\n` });
  expect((await scene.import()).report).toEqual(REPORT.filter(({ message }) => !message.includes('"gone"')));
});

test('tables that readers get as their source are reported', async () => {
  const scene = await setImportScene(service);
  await scene.write({
    'README.md':
      '# Home\n\n<table><tr><td>a</td></tr></table>\n\n> <table><tr><td colspan="9000">b</td></tr></table>\n',
  });
  const report = [
    {
      file: 'README.md',
      line: 5,
      severity: 'warning',
      message: 'The table is shown as its source, since it cannot be shown as a table.',
    },
  ];
  expect((await scene.import()).report).toEqual(report);
  expect((await scene.import()).report).toEqual(report);
});
