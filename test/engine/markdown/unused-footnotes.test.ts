import { describe, expect, test } from 'vitest';
import type { Block } from '../../../routers/engine/document/document.ts';
import { parseMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { UNCHANGED } from './examples.ts';

const UNUSED = '[^unused]: Nothing refers to this.\n';

const blocks = (markdown: string): Block[] => parseMarkdown(markdown).nodes;

const withoutKeys = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, entry) => (name === 'key' ? undefined : entry)));

// These documents are read once with their footnotes as annotations, and then again without.
describe('a footnote that nothing refers to does not change how the rest is read', () => {
  const examples = Object.entries(UNCHANGED).filter(([, markdown]) => !markdown.includes('[^'));
  test.for(examples)('%s', ([, markdown]) => {
    const read = blocks(`${markdown.trimEnd()}\n\n${UNUSED}`);
    expect(withoutKeys(read.slice(0, -1))).toEqual(withoutKeys(blocks(markdown)));
    expect(read.at(-1)).toMatchObject({ type: 'markdown', data: { markdown: UNUSED.trimEnd() } });
  });
});

test.for<readonly [how: string, markdown: string]>([
  ['unused', '* [x] one\n* [ ] two\n\n[^1]: Note\n'],
  ['in another order', 'See [^2] and [^1].\n\n* [x] one\n* [ ] two\n\n[^1]: One\n\n[^2]: Two\n'],
  ['separated differently', 'A[^1] B[^2]\n\n* [x] one\n* [ ] two\n\n[^1]: One\n\n\n[^2]: Two\n'],
])('tasks keep their checkboxes where the footnotes of the page are %s', ([, markdown]) => {
  expect(blocks(markdown).find(({ type }) => type.startsWith('list'))).toMatchObject({
    type: 'list-tasks',
    nodes: [{ data: { checked: true } }, { data: { checked: false } }],
  });
});
