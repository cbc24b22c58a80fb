/** The published documents of a repository contain nothing that a renderer cannot draw. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BlockNode, Document } from '../../../routers/engine/document/document.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { getDocument } from '../../../routers/engine/store/documents.ts';
import { openSnapshot } from '../../../routers/engine/store/snapshot.ts';
import { openFolder } from '../../../routers/installation/folder-source.ts';
import { violationsOf } from '../../helpers/published-documents.ts';
import { memorySource } from '../import/memory-source.ts';
import { exportRepository, importRepository } from './repository.ts';

/** The content of each container. */
const INSIDE = [
  '| a | b |\n| - | - |\n| c | d |',
  '<table data-view="cards"><thead><tr><th></th><th data-type="files"></th></tr></thead><tbody><tr><td>e</td><td><a href="f.pdf">f.pdf</a></td></tr></tbody></table>',
  '{% tabs %}\n{% tab title="T" %}\ng\n{% endtab %}\n{% endtabs %}',
  '{% stepper %}\n{% step %}\n## h\n\ni\n{% endstep %}\n{% endstepper %}',
  '{% columns %}\n{% column %}\nj\n{% endcolumn %}\n{% endcolumns %}',
  '```js\nk\n```',
  '{% hint style="info" icon="bomb" %}\nl\n{% endhint %}',
  '> m',
  '<details>\n\n<summary>n</summary>\n\no\n\n</details>',
  '<figure><img src="a.png" alt=""><figcaption><p>p</p></figcaption></figure>',
  '{% embed url="https://example.com" %}\nq\n{% endembed %}',
  '{% file src="f.pdf" %}\nr\n{% endfile %}',
  '{% file src="gone.pdf" %}',
  '{% prompt description="s" %}\n```markdown\nt\n```\n{% endprompt %}',
  '{% updates format="full" %}\n{% update date="2026-01-02" tags="a" %}\nu\n{% endupdate %}\n{% endupdates %}',
  '$$\nv\n$$',
  '<x-y>\nw <b>x</b>\n</x-y>',
  '<iframe src="https://example.com/video"></iframe>',
  '<div style="a">\n<img src="a.png">\n</div>',
  '<!-- a comment -->',
  'y <button type="button" class="button primary" data-action="ask">z</button>',
  '{% foo %}\n\nunknown\n\n{% endfoo %}',
];
const indented = (text: string, by: string) => text.replace(/\n(?=[^\n])/g, `\n${by}`);
const CONTAINERS: Record<string, (content: string) => string> = {
  document: (content) => content,
  hint: (content) => `{% hint style="info" %}\n${content}\n{% endhint %}`,
  tab: (content) => `{% tabs %}\n{% tab title="T" %}\n${content}\n{% endtab %}\n{% endtabs %}`,
  step: (content) => `{% stepper %}\n{% step %}\n${content}\n{% endstep %}\n{% endstepper %}`,
  column: (content) => `{% columns %}\n{% column %}\n${content}\n{% endcolumn %}\n{% endcolumns %}`,
  expandable: (content) => `<details>\n\n<summary>A</summary>\n\n${content}\n\n</details>`,
  condition: (content) => `{% if visitor.claims.a %}\n${content}\n{% endif %}`,
  update: (content) =>
    `{% updates format="full" %}\n{% update date="2026-01-02" %}\n${content}\n{% endupdate %}\n{% endupdates %}`,
  list: (content) => `* A\n\n  ${indented(content, '  ')}`,
  quote: (content) => `> ${content.replaceAll('\n', '\n> ')}`,
};
const REPOSITORY: Record<string, string> = Object.fromEntries(
  Object.entries(CONTAINERS).map(([name, around]) => [
    `${name}.md`,
    `# ${name}\n\n${INSIDE.map((content) => around(content)).join('\n\n')}\n`,
  ]),
);

/** `DOCS_FOLDER` is the path of a repository to test instead. */
const { DOCS_FOLDER } = process.env;

const WORDS = /[\p{L}\p{N}]+/gu;

/** Counts the occurrences of each word in a text. */
function wordsIn(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const [word] of text.matchAll(WORDS)) words.set(word, (words.get(word) ?? 0) + 1);
  return words;
}

/** Renderers show a mention with the title of its target. */
const withoutMentions = (document: Document): Document =>
  JSON.parse(JSON.stringify(document), (_, value) =>
    value?.type === 'mention' ? { ...value, data: {} } : value,
  );

const typesIn = (nodes: readonly BlockNode[]): string[] =>
  nodes.flatMap((node) =>
    node.object === 'text'
      ? []
      : [
          node.type,
          ...typesIn(node.nodes ?? []),
          ...(node.fragments ?? []).flatMap((fragment) => typesIn(fragment.nodes)),
        ],
  );

test('every published node is of a valid type, no word is lost, and the export does not change', {
  timeout: 600_000,
}, async () => {
  const files = { ...REPOSITORY, 'f.pdf': 'a file', 'a.png': 'an image' };
  const source = DOCS_FOLDER === undefined ? memorySource(files) : await openFolder(DOCS_FOLDER);
  const space = await importRepository(source);
  const snapshot = await openSnapshot(space.buffer, space.root);
  const found: string[] = [];
  for (const { title, document } of [
    ...(await snapshot.allPages()),
    ...(await snapshot.reusableContents()),
  ]) {
    if (document === undefined) continue;
    const stored = await getDocument(space.buffer, document);
    const answered = published(stored);
    for (const violation of violationsOf(answered)) found.push(`${title}: ${violation}`);
    const shown = wordsIn(plainText(answered));
    for (const [word, count] of wordsIn(plainText(withoutMentions(stored).nodes)))
      if ((shown.get(word) ?? 0) < count) found.push(`${title}: lost ${word}`);
    if (DOCS_FOLDER === undefined) {
      const types = typesIn(answered.nodes);
      for (const type of ['table', 'tabs', 'stepper', 'columns', 'prompt', 'updates', 'button', 'embed'])
        if (!types.includes(type)) found.push(`${title}: no ${type}`);
    }
  }
  expect(found).toEqual([]);
  const read = (path: string) =>
    DOCS_FOLDER === undefined
      ? files[path as keyof typeof files]
      : readFileSync(join(DOCS_FOLDER, path), 'utf8');
  for (const [path, text] of Object.entries(await exportRepository(space)))
    if (!text.startsWith('sha256:')) expect([path, text]).toEqual([path, read(path)]);
});
