import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiWith, publishSpec } from '../content/published-spec.ts';
import {
  accessibilityViolations,
  type BrowsedService,
  overflowOf,
  startBrowsedService,
  visitIn,
} from './browser.ts';

const LONG = { timeout: 60_000 };

const Kind = { type: 'string', enum: ['dog', 'cat'] };
const Pet = {
  type: 'object',
  maxProperties: 5,
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 64, pattern: '^[a-z]+$' },
    kind: { allOf: [{ $ref: '#/components/schemas/Kind' }], default: 'dog' },
    age: { anyOf: [{ type: 'integer', minimum: 0, exclusiveMaximum: 40 }, { type: 'null' }] },
    version: { const: 2 },
    code: { type: 'integer', enum: Array.from({ length: 53 }, (_, index) => index) },
  },
};
const PET = { schema: { $ref: '#/components/schemas/Pet' } };
const TEXT = { schema: { type: 'string', maxLength: 500 } };

const OPERATION = {
  parameters: [
    { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, multipleOf: 5 } },
    {
      name: 'sort',
      in: 'query',
      schema: { type: 'array', uniqueItems: true, maxItems: 3, items: { ...Kind, default: 'cat' } },
    },
  ],
  requestBody: {
    content: {
      'text/plain': TEXT,
      'application/json': {
        ...PET,
        examples: {
          dog: { summary: 'A dog', description: 'It *barks*.', value: { name: 'rex' } },
          cat: { value: { name: 'tom' } },
          large: { externalValue: 'https://example.com/large.json' },
        },
      },
      'application/xml': PET,
    },
  },
  responses: {
    201: {
      description: 'The **new** pet.',
      headers: {
        Location: { description: 'Where it is.', required: true, schema: { type: 'string', format: 'uri' } },
        'X-Rate-Limit': { schema: { type: 'integer', minimum: 0 } },
        'Content-Type': { schema: { type: 'string' } },
      },
      content: { 'application/json': PET, 'application/xml': { ...PET, example: '<pet/>' } },
    },
    400: {
      description: 'The pet is not valid. See [errors](https://example.com/errors).\n\nTry again.',
      content: {
        'application/json': {
          schema: { type: 'object' },
          examples: { short: { value: { error: 'too short' } }, long: { value: { error: 'too long' } } },
        },
      },
    },
    404: { description: 'Nothing is there.' },
    409: { description: 'It exists.\n\n* Choose another name.' },
  },
  callbacks: {
    petAdopted: {
      '{$request.body#/url}': {
        post: {
          summary: 'Tell of an adoption',
          parameters: [{ name: 'X-Signature', in: 'header', schema: { type: 'string', minLength: 40 } }],
          requestBody: { content: { 'application/json': { ...PET, example: { name: 'adopted' } } } },
          responses: { 204: { description: 'Heard.' } },
        },
      },
    },
  },
};

let scene: BrowsedService;
let root: string;
beforeAll(async () => {
  scene = await startBrowsedService();
  const document = apiWith({ 'post /pets': OPERATION }, { components: { schemas: { Kind, Pet } } });
  await publishSpec(scene.service, scene.organization, 'pets', document);
  const link = '[pets](https://example.com)';
  root = await scene.publish([
    {
      title: 'Pets',
      document: {
        markdown: `{% openapi-operation spec="pets" path="/pets" method="post" %}\n${link}\n{% endopenapi-operation %}

{% openapi-schemas spec="pets" schemas="Kind" %}\n${link}\n{% endopenapi-schemas %}`,
      },
    },
  ]);
}, 120_000);
afterAll(() => scene?.close());

const visit = <Result>(options: BrowserContextOptions, use: (page: Page) => Promise<Result>) =>
  visitIn(scene.browser, root, options, async (page) => {
    await page.evaluate("for (const box of document.querySelectorAll('main details')) box.open = true");
    return use(page);
  });
const WIDE = { viewport: { width: 1280, height: 900 } };

/** The text of a property, parameter or header, in one line. */
const textOf = async (page: Page, name: string, place = 0): Promise<string> => {
  const property = page.locator('.property', { has: page.locator(`code:text-is("${name}")`) }).nth(place);
  return (await property.innerText()).replace(/\s+/g, ' ');
};

test('parameters and properties have their constraints, defaults and allowed values', LONG, async () => {
  await visit(WIDE, async (page) => {
    expect(await textOf(page, 'limit')).toBe('limit integer Range: 1–100 Multiple of: 5');
    expect(await textOf(page, 'sort')).toBe(
      'sort string[] Number of items: ≤ 3 Unique items Each item Default: cat Allowed: dog cat',
    );
    expect(await textOf(page, 'name')).toBe('name string Length: 2–64 Pattern: ^[a-z]+$');
    expect(await textOf(page, 'kind')).toBe('kind Default: dog Allowed: dog cat');
    expect(await textOf(page, 'age')).toBe('age object One of integer Range: ≥ 0, < 40 null');
    expect(await textOf(page, 'version')).toBe('version Constant: 2');
    expect(await textOf(page, 'code')).toMatch(/^code integer Allowed: 0 1 .* 49 … \(\+3\)$/);
    expect(await page.locator('.response').first().innerText()).toContain('Number of properties: ≤ 5');
    expect(await page.locator('.api-models').innerText()).toMatch(/Kind\s+string\s+Allowed: dog cat/);
  });
});

test('responses have their headers, and each description once', LONG, async () => {
  await visit(WIDE, async (page) => {
    expect(await textOf(page, 'Location')).toBe('Location string <uri> required Where it is.');
    expect(await textOf(page, 'X-Rate-Limit')).toBe('X-Rate-Limit integer Range: ≥ 0');
    expect(await page.locator('.property code:text-is("Content-Type")').count()).toBe(0);
    const responses = page.locator('.api-text > .responses > .response');
    const linesOf = async (place: number) => (await responses.nth(place).innerText()).split(/\n+/);
    expect((await linesOf(0)).slice(0, 2)).toEqual(['201 The new pet.', 'Headers']);
    expect((await linesOf(1)).slice(0, 3)).toEqual([
      '400',
      'The pet is not valid. See errors.',
      'Try again.',
    ]);
    expect(await linesOf(2)).toEqual(['404 Nothing is there.']);
    expect(await linesOf(3)).toEqual(['409 It exists.', 'Choose another name.']);
    const folded = await responses.evaluateAll((all) => all.map(({ tagName }) => tagName));
    expect(folded).toEqual(['DETAILS', 'DETAILS', 'DIV', 'DETAILS']);
  });
});

test('media types with schemas of their own, and examples, are chosen in tabs', LONG, async () => {
  await visit(WIDE, async (page) => {
    const tabs = page.locator('.api-text > .tabs');
    expect(await tabs.getByRole('tab').allInnerTexts()).toEqual([
      'application/json, application/xml',
      'text/plain',
    ]);
    expect(await tabs.innerText()).not.toContain('500');
    await tabs.getByRole('tab', { name: 'text/plain' }).click();
    expect(await tabs.innerText()).toMatch(/string\s+Length: ≤ 500/);
    const [body, response] = [1, 2].map((place) => page.locator('.api-samples > .tabs').nth(place));
    expect(await body?.getByRole('tab').allInnerTexts()).toEqual(['A dog', 'cat', 'large']);
    expect(await body?.innerText()).toMatch(/It barks\.\s+Body\s+\{\s+"name": "rex"/);
    await body?.getByRole('tab', { name: 'cat' }).click();
    expect(await body?.innerText()).toContain('"name": "tom"');
    await body?.getByRole('tab', { name: 'large' }).click();
    expect(await body?.getByRole('link').getAttribute('href')).toBe('https://example.com/large.json');
    expect(await response?.getByRole('tab').allInnerTexts()).toEqual(['application/json', 'application/xml']);
    await response?.getByRole('tab', { name: 'application/xml' }).click();
    expect(await response?.innerText()).toMatch(/Response 201\s+<pet\/>/);
    const error = page.locator('.response', { hasText: 'Try again' });
    expect(await error.getByRole('tab').allInnerTexts()).toEqual(['short', 'long']);
    expect(await error.innerText()).toContain('too short');
  });
});

test('without scripts, all media types and examples are shown below each other', LONG, async () => {
  await visitIn(scene.browser, root, { ...WIDE, javaScriptEnabled: false }, async (page) => {
    const text = await page.locator('.api').first().textContent();
    for (const part of ['text/plain', '"tom"', '<pet/>', 'too long'])
      expect(text?.split(part).length, part).toBeGreaterThan(1);
    expect(await page.locator('.api-samples > .tabs .tab', { hasText: '"tom"' }).isVisible()).toBe(true);
  });
});

test('an operation has its callbacks', LONG, async () => {
  await visit(WIDE, async (page) => {
    const callback = page.locator('.api-part:text-is("Callbacks") + details');
    expect(await callback.innerText()).toMatch(
      /petAdopted\s+Tell of an adoption\s+POST\s+\{\$request\.body#\/url\}\s+Header parameters\s+X-Signature string\s+Length: ≥ 40\s+Body application\/json\s+Number of properties: ≤ 5[\s\S]+"name": "adopted"[\s\S]+204 Heard\./,
    );
  });
});

test.for<[string, BrowserContextOptions, string]>([
  ['in a wide window', WIDE, 'light'],
  ['in a narrow window, in the dark theme', { viewport: { width: 320, height: 700 } }, 'dark'],
])('the page is accessible and fits %s', LONG, async ([, options, theme]) => {
  await visit(options, async (page) => {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  });
});
