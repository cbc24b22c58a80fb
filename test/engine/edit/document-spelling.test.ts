import { describe, expect, test } from 'vitest';
import type { Block, Document, Inline, Text } from '../../../routers/engine/document/document.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { restoreDocumentSpelling } from '../../../routers/engine/edit/document-spelling.ts';
import { parseContent } from '../../../routers/engine/edit/parse-content.ts';
import { normalizeDocument } from '../../../routers/engine/markdown/keys.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { violationsOf } from '../../helpers/published-documents.ts';
import { UNCHANGED } from '../markdown/examples.ts';
import { afterEdit, rewrite, textOf } from './after-edit.ts';

test.for(Object.entries(UNCHANGED))(
  'a document that is sent back unchanged is stored unchanged: %s',
  ([, markdown]) => {
    const previous = parseMarkdown(markdown);
    const document = JSON.parse(JSON.stringify(published(previous))) as Document;
    const context = { links: undefined, names: new Map<string, string>(), previous };
    expect(parseContent({ document }, context)).toEqual(previous);
    expect(afterEdit(markdown)).toBe(markdown);
  },
);

const COLUMNS =
  '{% columns %}\n{% column %}\nA\n{% endcolumn %}\n{% column %}\nB\n{% endcolumn %}\n{% endcolumns %}';

test('a document whose tags are not balanced is stored unchanged if it is sent back unchanged', () => {
  const markdown = `${COLUMNS} x ${COLUMNS}`;
  expect(afterEdit(markdown)).toBe(markdown);
});

test('a document that is sent back unchanged except for its keys is stored unchanged', () => {
  const withoutKeys = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (name, entry) => (name === 'key' ? undefined : entry)));
  const markdown = '-   one\n-   __two__\n\nThree\n-----\n\n1) four\n';
  expect(
    afterEdit(markdown, (document) => {
      document.nodes = withoutKeys(document.nodes) as Block[];
    }),
  ).toBe(markdown);
});

describe('a block that is indented as in MkDocs', () => {
  const replace = (from: string, to: string) => (document: Document) => {
    document.nodes = JSON.parse(JSON.stringify(document.nodes).replaceAll(`"${from}"`, `"${to}"`));
  };

  test.for([
    ['a text', '!!! note "Title"\n    Old\n\n    Other\n', '!!! note "Title"\n    New\n\n    Other\n'],
    ['its title', '!!! note "Old"\n    Text\n', '!!! note "New"\n    Text\n'],
    ['the title of a collapsed one', '??? note "Old"\n    Text\n', '??? note "New"\n    Text\n'],
    ['a text of a collapsed one', '??? note\n    Old\n', '??? note\n    New\n'],
    ['a text in a tab', '=== "A"\n\n    Old\n\n=== "B"\n    C\n', '=== "A"\n\n    New\n\n=== "B"\n    C\n'],
    ['the title of a tab', '=== "Old"\n    B\n\n=== "C"\n    D\n', '=== "New"\n    B\n\n=== "C"\n    D\n'],
    ['a text in a list', '* a\n\n  !!! note\n      Old\n', '* a\n\n  !!! note\n      New\n'],
  ] as const)(
    'a block that is indented as in MkDocs stays such if a client edits %s',
    ([, before, after]) => {
      expect(afterEdit(before, replace('Old', 'New'))).toBe(after);
    },
  );
});

const mark = (style: string, text: string) => `<mark style="${style}">${text}</mark>`;

test.for<[string, string, string]>([
  ['beside an edit', ' end', ' done'],
  ['of an edited text', '>c<', '>edited<'],
  ['of equal texts', 'One', 'Another'],
])('colors that clients do not know, and spellings of marks, stay: those %s', ([, from, to]) => {
  const markdown = `One ${mark('color:pink;', 'a')}, ${mark('background-color:lime;', 'a')}, ${mark('color:#abc;background-color:yellow;', 'b')}, ${mark('color:teal;', 'c')}, __d__, **e** end\n`;
  const written = afterEdit(markdown, ({ nodes }) => {
    for (const leaf of textOf(nodes[0]).leaves) leaf.text = `>${leaf.text}<`.replace(from, to).slice(1, -1);
  });
  expect(written).toBe(markdown.replace(from, to));
});

const linkIn = ({ nodes }: Document): Inline =>
  nodes[0]?.nodes?.find(({ object }) => object === 'inline') as Inline;

const leavesOfLink = (document: Document) =>
  (linkIn(document).nodes as Text[]).flatMap(({ leaves }) => leaves);

test.for([
  'A **[text](b.md)** c\n',
  'A *__[text](b.md)__* c\n',
  'A <a href="https://a.b" target="_blank" rel="nofollow">text</a> c\n',
  "A [text](<b.md> 'title') c\n",
  'A [text][b] c\n\n[b]: b.md\n',
])('a link whose text is edited is written as it was: %s', (markdown) => {
  const written = afterEdit(markdown, (document) => {
    for (const leaf of leavesOfLink(document)) leaf.text = 'edited';
  });
  expect(written).toBe(markdown.replace('text', 'edited'));
});

test('a link whose text is no longer bold is not in bold either', () => {
  const written = afterEdit('A **[text](b.md)** c\n', (document) => {
    for (const leaf of leavesOfLink(document)) leaf.marks = [];
  });
  expect(written).toBe('A [text](b.md) c\n');
});

test('an address in angle brackets that becomes bold is written as a link', () => {
  const written = afterEdit('A <https://a.b> c\n', (document) => {
    for (const leaf of leavesOfLink(document)) leaf.marks = [{ object: 'mark', type: 'bold' }];
  });
  expect(written).toBe('A [**https://a.b**](https://a.b) c\n');
});

test('a link to another page is written as a new one', () => {
  const written = afterEdit('A <a href="https://a.b" target="_blank">text</a> c\n', (document) => {
    linkIn(document).data = { ref: { kind: 'url', url: 'https://c.d' } };
  });
  expect(written).toBe('A [text](https://c.d) c\n');
});

test('editing a document changes only the edited blocks', () => {
  const markdown = '##   One ##\n\n-   a\n-   __b__\n\n+ c\n+ d\n\n---\n\n~~~js\nx\n~~~\n';
  expect(
    afterEdit(markdown, ({ nodes }) => {
      rewrite(
        nodes[1]?.nodes?.[0]?.object === 'block' ? (nodes[1].nodes[0].nodes?.[0] as Block) : undefined,
        'A',
      );
    }),
  ).toBe(markdown.replace('-   a', '-   A'));
});

test('an edited block keeps its formatting hints and its unchanged nodes', () => {
  const markdown = 'An <b>old</b> *word* and [link](<a.md> "T")  \nin __two__ lines.\n\nHeading\n=======\n';
  expect(
    afterEdit(markdown, ({ nodes }) => {
      rewrite(nodes[0], 'A ');
      rewrite(nodes[1], 'Title');
    }),
  ).toBe(markdown.replace('An ', 'A ').replace('Heading', 'Title'));
});

test('an edit keeps the tags of an operation around it, which are published as text', () => {
  const markdown =
    '{% swagger method="get" path="/a" %}\n{% swagger-description %}\nOld\n{% endswagger-description %}\n\n{% swagger-response status="200" %}\n{% endswagger-response %}\n{% endswagger %}\n';
  const edited = afterEdit(markdown, ({ nodes }) =>
    rewrite(
      nodes.find((block) => plainText([block]) === 'Old'),
      'New',
    ),
  );
  expect(edited).toBe(markdown.replace('Old', 'New'));
});

test('an edited block keeps its mentions of URLs, which are published as links', () => {
  const markdown = 'See [Keys](https://app.example/s/1 "mention").\n';
  const edited = afterEdit(markdown, ({ nodes: [block] }) => rewrite(block, 'Read '));
  expect(edited).toBe('Read [Keys](https://app.example/s/1 "mention").\n');
});

describe('HTML that is published as several blocks', () => {
  const markdown = '* a\n\n  <h2>One</h2>\n  Two\n\n<p class="x">Three</p>\nFour\n\nFive\n';

  test('stays as it is if other blocks are edited', () => {
    const edited = afterEdit(markdown, ({ nodes }) => rewrite(nodes.at(-1), '5'));
    expect(edited).toBe(markdown.replace('Five', '5'));
  });

  test('stays as it is if blocks beside it are edited in a list', () => {
    const edited = afterEdit(markdown, ({ nodes }) => {
      const [item] = nodes[0]?.nodes ?? [];
      rewrite(item?.object === 'block' ? (item.nodes?.[0] as Block) : undefined, 'b');
    });
    expect(edited).toBe(markdown.replace('* a', '* b'));
  });

  test('stays as it is around a block in it that is edited or deleted', () => {
    expect(afterEdit(markdown, ({ nodes }) => rewrite(nodes[2], '4'))).toBe(markdown.replace('Four', '4'));
    expect(afterEdit(markdown, ({ nodes }) => nodes.splice(2, 1))).toBe(markdown.replace('\nFour', ''));
  });

  test('is written as blocks if what is left of it is no HTML', () => {
    expect(afterEdit(markdown, ({ nodes }) => nodes.splice(1, 1))).toBe(
      markdown.replace('<p class="x">Three</p>\n', ''),
    );
  });
});

test('an edited block keeps the title of what is at a URL, which is published as a link', () => {
  const markdown =
    '{% content-ref url="https://a.example/b" %}\n[Keys](https://a.example/b)\n{% endcontent-ref %}\n\nEnd\n';
  expect(afterEdit(markdown, ({ nodes }) => rewrite(nodes[1], 'The end'))).toBe(
    markdown.replace('End\n', 'The end\n'),
  );
});

test('an edited block does not keep its original Markdown', () => {
  const markdown = '##  One\n\n##  Two\n';
  expect(afterEdit(markdown, ({ nodes }) => rewrite(nodes[0], 'First'))).toBe('## First\n\n##  Two\n');
});

test('a content reference with a new target does not keep its label', () => {
  const markdown = '{% content-ref url="/pages/a" %}\n[A](/pages/a)\n{% endcontent-ref %}\n';
  const edited = afterEdit(markdown, ({ nodes }) => {
    if (nodes[0]) nodes[0].data = { ref: { kind: 'url', url: 'https://b.example/b' } };
  });
  expect(edited).not.toContain('/pages/a');
});

test('an edited document keeps data that is not published', () => {
  const markdown =
    '{% embed url="https://x.example" %}\nA caption\n{% endembed %}\n\n{% hint style="info" icon="bomb" %}\na\n{% endhint %}\n';
  expect(
    afterEdit(markdown, ({ nodes }) => {
      if (nodes[0]?.data) nodes[0].data.fullWidth = true;
      rewrite(nodes[1]?.nodes?.[0] as Block, 'b');
    }),
  ).toBe(markdown.replace('example"', 'example" fullWidth="true"').replace('\na\n', '\nb\n'));
});

test('formatting hints in a document from a client are ignored', () => {
  const markdown = 'one\n\ntwo\n';
  expect(
    afterEdit(markdown, ({ nodes }) => {
      const [one] = nodes;
      if (one) Object.assign(one, { format: { source: { markdown: 'something else' } }, meta: { id: 'x' } });
      rewrite(one, 'One');
    }),
  ).toBe('One\n\ntwo\n');
});

test('an edit that changes only data named "key" is saved', () => {
  const markdown = '{% @vendor/block key="a" %}\n';
  expect(
    afterEdit(markdown, ({ nodes }) => {
      if (nodes[0]?.data) nodes[0].data.props = { key: 'b' };
    }),
  ).toBe(markdown.replace('"a"', '"b"'));
});

test('an edited document keeps annotations and their bodies', () => {
  const markdown = 'A[^1] b.\n\n[^1]: A *note*\n';
  expect(
    afterEdit(markdown, ({ nodes }) => {
      const texts = (nodes[0]?.nodes ?? []) as (Inline | Text)[];
      const last = texts.at(-1);
      if (last?.object === 'text' && last.leaves[0]) last.leaves[0].text = ' c.';
    }),
  ).toBe(markdown.replace(' b.', ' c.'));
});

describe('an edit of a block is not lost, however small it is', () => {
  test('an edit of a property of an integration named "key" is saved', () => {
    const edited = afterEdit('{% @mermaid/chart key="one" %}\n', ({ nodes }) => {
      Object.assign(nodes[0]?.data ?? {}, { props: { key: 'two' } });
    });
    expect(edited).toBe('{% @mermaid/chart key="two" %}\n');
  });

  test('an edit to a text that looks like the structure around it is saved', () => {
    const edited = afterEdit('{% @mermaid/chart a="one" b="two" %}\n', ({ nodes }) => {
      Object.assign(nodes[0]?.data ?? {}, { props: { a: 'one",b:"two' } });
    });
    expect(edited).toBe('{% @mermaid/chart a="one\\",b:\\"two" %}\n');
  });
});

test('nodes that a client put in invalid places do not multiply when the document is sent back', () => {
  const text = (leaf: string): Block['nodes'] => [
    { object: 'text', leaves: [{ object: 'leaf', text: leaf, marks: [] }] },
  ];
  const nodes: Block[] = [
    {
      object: 'block',
      type: 'hint',
      data: { style: 'info' },
      nodes: [
        {
          object: 'block',
          type: 'code',
          data: {},
          nodes: [{ object: 'block', type: 'paragraph', nodes: text('a') }],
        },
        {
          object: 'block',
          type: 'list-item',
          nodes: [{ object: 'block', type: 'paragraph', nodes: text('b') }],
        },
        { object: 'block', type: 'tabs-item', data: { title: 'c' }, nodes: [] },
      ],
    },
  ];
  let stored = normalizeDocument({ object: 'document', data: { schemaVersion: 1 }, nodes });
  for (let round = 0; round < 3; round++) {
    const answered = published(stored);
    expect(violationsOf(answered)).toEqual([]);
    expect(plainText(answered)).toBe('a\nb\nc');
    stored = restoreDocumentSpelling(stored, normalizeDocument(answered));
    expect(plainText(stored)).toBe('a\nb\nc');
  }
});

test('a block that is published as another type is stored unchanged when it is sent back', () => {
  for (const markdown of [
    '<x-y>\nWords\n</x-y>\n',
    '<div style="a">\n<img src="a.png">\n</div>\n',
    'a <a class="b">c</a> d[^1]\n\n[^1]: e\n\nf\n',
  ]) {
    const stored = parseMarkdown(`${markdown}\nother\n`);
    const answered = published(stored);
    const last = answered.nodes.at(-1) as Block;
    last.nodes = [{ object: 'text', leaves: [{ object: 'leaf', text: 'changed', marks: [] }] }];
    const next = restoreDocumentSpelling(stored, normalizeDocument(answered));
    expect(serializeMarkdown(next)).toBe(`${markdown}\nchanged\n`);
  }
});
