import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiWith, publishSpec } from '../content/published-spec.ts';
import { type GuideSite, startGuideSite } from './guide-site.ts';

let guide: GuideSite;
beforeAll(async () => {
  guide = await startGuideSite();
});
afterAll(() => guide.service.close());

const operation = (path: string) =>
  `{% openapi-operation spec="nosuch" path="${path}" method="get" %}\n[OpenAPI](https://example.com/a.yaml)\n{% endopenapi-operation %}\n`;

const articleAt = async (title: string): Promise<string> => {
  const { body } = await guide.page(`${guide.at}/${title.toLowerCase()}`);
  return /<div class="content">(.*?)<\/article>/s.exec(body)?.[1] ?? '';
};
const MISSING = '<p dir="auto">The OpenAPI spec is not available.</p>';

test('a block of an OpenAPI spec that does not exist says so, until the spec exists', async () => {
  const schemas = '{% openapi-schemas spec="nosuch" schemas="Pet" %}\n';
  await guide.insert({ title: 'Absent', document: { markdown: `${operation('/linked')}\n${schemas}` } });
  const article = await articleAt('Absent');
  expect(article.split(MISSING)).toHaveLength(3);
  expect(article).toContain('<code>/linked</code>');
  await publishSpec(
    guide.service,
    guide.organization,
    'nosuch',
    apiWith({ 'get /linked': { summary: 'Linked' } }),
  );
  await guide.insert({ title: 'Present', document: { markdown: operation('/linked') } });
  expect(await articleAt('Present')).not.toContain(MISSING);
});
