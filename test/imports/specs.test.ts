import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiWith, publishSpec } from '../content/published-spec.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { setImportScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const operation = (spec: string, path = '/a') =>
  `{% openapi-operation spec="${spec}" path="${path}" method="get" %}\n[OpenAPI ${spec}](https://example.com/${spec}.yaml)\n{% endopenapi-operation %}\n`;

const missing = (spec: string) =>
  `The organization has no OpenAPI spec "${spec}", so pages show nothing of it until there is one.`;
const DOCS = {
  'README.md': `# Home\n\n${operation('known')}\n${operation('nosuch')}\n${operation('nosuch', '/b')}`,
  'guide.md': `# Guide\n\n${operation('nosuch')}\n{% include ".gitbook/includes/shared.md" %}\n`,
  'SUMMARY.md': '* [Home](README.md)\n* [Guide](guide.md)\n',
  '.gitbook/includes/shared.md':
    '{% openapi-schemas spec="others" schemas="A" %}\nx\n{% endopenapi-schemas %}\n',
};
const REPORT = [
  { file: '.gitbook/includes/shared.md', line: 1, severity: 'warning', message: missing('others') },
  { file: 'README.md', line: 7, severity: 'warning', message: missing('nosuch') },
];

test('OpenAPI specs that the organization does not have are reported, each once, also if files are unchanged', async () => {
  const scene = await setImportScene(service);
  await publishSpec(service, scene.organization, 'known', apiWith({ 'get /a': {} }));
  await scene.write(DOCS);
  expect((await scene.import({ dryRun: true })).report).toEqual(REPORT);
  expect((await scene.import()).report).toEqual(REPORT);
  expect((await scene.import()).report).toEqual(REPORT);
  await publishSpec(service, scene.organization, 'nosuch', apiWith({ 'get /a': {} }));
  expect((await scene.import()).report).toEqual(REPORT.slice(0, 1));
});
