/** Documents besides the content: comments, descriptions and instructions. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { emptyTable } from '../helpers/table-documents.ts';
import { open, setScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const LEAF = { object: 'leaf', text: 'a', marks: [] };
const documentOf = (...nodes: object[]) => ({ object: 'document', data: { schemaVersion: 1 }, nodes });
const paragraph = (leaves: object[]) => ({
  object: 'block',
  type: 'paragraph',
  nodes: [{ object: 'text', leaves }],
});
const lengthOf = (document: object) => JSON.stringify(document).length;

/** A document that is about as long as is allowed, which is stored as a single leaf. */
function joinable(characters: number) {
  const leaves = Math.floor(characters / (lengthOf(LEAF) + 1));
  return documentOf(paragraph(Array.from({ length: leaves }, () => LEAF)));
}

/** A document that is as long as is allowed, before its blocks get keys. */
function withoutKeys(characters: number) {
  const block = paragraph([LEAF]);
  const blocks = Math.floor((characters - 100) / (lengthOf(block) + 1));
  return documentOf(...Array.from({ length: blocks }, () => block));
}

/** The documents besides the content, with how long they may be, their field, and a request that sends one. */
const setDocuments = async (): Promise<
  [string, number, string, (document: object) => Promise<{ status: number; body: unknown }>][]
> => {
  const scene = await setScene(service);
  const { me, organization, path, space, admin } = scene;
  const { at } = await open(scene);
  const source = { space, language: 'en' };
  const translations = `/orgs/${organization}/translations`;
  return [
    ['a comment', 100_000, 'body', (document) => me.post(`${path}/comments`, { body: { document } })],
    ['a description', 100_000, 'description', (description) => me.patch(at, { description })],
    [
      'a description for reviewers',
      100_000,
      'description',
      (description) => me.post(`${at}/requested-reviewers`, { users: [admin.id], description }),
    ],
    [
      'instructions for agents',
      100_000,
      'instructions',
      (instructions) => me.put(`/orgs/${organization}/agent-instructions`, { instructions }),
    ],
    [
      'instructions for a translation',
      20_000,
      'instructions',
      (instructions) => me.post(translations, { source, language: 'de', instructions }),
    ],
  ];
};

test('documents besides the content have at most so many characters when sent, and as many when stored', async () => {
  const sent = await setDocuments();
  for (const [what, max, field, send] of sent) {
    const subject = field === 'body' ? 'comment' : field;
    const long = {
      message: `The ${subject} ${field === 'instructions' ? 'are' : 'is'} too long.`,
      details: [{ path: field, message: `must have at most ${max} characters as a JSON document` }],
    };
    const empty = {
      message: `The tables of the ${subject} have too many empty cells.`,
      details: [{ path: field, message: 'must have at most 10000 cells without a value' }],
    };
    for (const [document, error] of [
      [joinable(max + 1000), long],
      [withoutKeys(max), long],
      [emptyTable(101, 100), max < 100_000 ? { details: [{ path: field }] } : empty],
    ] as const) {
      const { status, body } = await send(document);
      expect(status, what).toBe(400);
      expect(body, what).toMatchObject({ error });
    }
    expect((await send(joinable(max - 1000))).status, what).toBeLessThan(300);
  }
});

test('documents besides the content have no URLs that run scripts', async () => {
  const ref = { kind: 'url', url: 'javascript:alert(1)' };
  const link = { object: 'inline', type: 'link', data: { ref }, nodes: [] };
  const document = documentOf({ object: 'block', type: 'paragraph', nodes: [link] });
  for (const [what, , field, send] of await setDocuments()) {
    const { status, body } = await send(document);
    expect(status, what).toBe(400);
    const details = [{ path: field, message: 'must not lead to "javascript:alert(1)"' }];
    expect(body, what).toMatchObject({
      error: { message: expect.stringContaining('runs a script'), details },
    });
  }
});
