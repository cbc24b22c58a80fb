import { describe, expect, test } from 'vitest';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { evaluateDocument } from '../../../routers/engine/expressions/document.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';

const INPUTS = {
  space: { vars: { product: 'Colophon', beta: true } },
  page: { vars: { version: 2, markup: '*not* <b>' } },
  visitor: { claims: { plan: 'pro' } },
};
const evaluated = (markdown: string, evaluation: 'all' | 'deterministic' = 'all') =>
  serializeMarkdown(evaluateDocument(parseMarkdown(markdown), INPUTS, evaluation));

describe('an evaluated document', () => {
  test('evaluating a document replaces expressions by their values, as if they had been written there', () => {
    expect(evaluated('# {{ space.vars.product }} v{{ page.vars.version }}')).toBe('# Colophon v2');
    expect(evaluated('A **bold {{ space.vars.product }}** word')).toBe('A **bold Colophon** word');
    expect(evaluated('Before {{ space.vars.none }}after')).toBe('Before after');
  });

  test.for(['user.name', 'page.title', 'Regular Price', '#each items', '.Values.port'])(
    'what cannot be an expression, such as a placeholder of another tool, is shown as it is written: %s',
    (source) => {
      const markdown = `Before {{ ${source} }} after`;
      for (const evaluation of ['all', 'deterministic'] as const) {
        const { nodes } = evaluateDocument(parseMarkdown(markdown), INPUTS, evaluation);
        expect(plainText(nodes)).toBe(markdown);
      }
    },
  );

  test.for([
    'visiter.claims.plan == "pro" ? "Secret" : ""',
    "visitor.claims.plan = 'pro'",
    'visiter.claims.isPro ? 42 : 0',
    'visiter.claims.isPro && 42',
    'now.matches("a")',
  ])(
    'a mistake in an expression that has a text or chooses a value shows nothing, as that may be meant for some readers only: %s',
    (source) => {
      expect(evaluated(`Before {{ ${source} }}after`)).toBe('Before after');
    },
  );

  test('values in an evaluated document are not parsed as markup', () => {
    const document = evaluateDocument(parseMarkdown('{{ page.vars.markup }}'), INPUTS, 'all');
    expect(document.nodes[0]?.nodes).toEqual([
      { object: 'text', leaves: [{ object: 'leaf', text: '*not* <b>', marks: [] }] },
    ]);
  });

  test('an evaluated document contains the content of true conditions only', () => {
    const page = (condition: string) => `Before\n\n{% if ${condition} %}\nInside\n{% endif %}\n\nAfter`;
    expect(evaluated(page('visitor.claims.plan == "pro"'))).toBe('Before\n\nInside\n\nAfter');
    expect(evaluated(page('visitor.claims.plan == "free"'))).toBe('Before\n\nAfter');
  });

  test('the content of an invalid condition is removed from an evaluated document', () => {
    expect(evaluated('{% if visitor.claims.plan = "pro" %}\nInside\n{% endif %}\n\nAfter')).toBe('After');
  });

  test('a document is evaluated inside tables, tabs and nested conditions', () => {
    const table = evaluated('| a |\n|---|\n| {{ space.vars.product }} |');
    expect(table).toContain('Colophon');
    const nested =
      '{% if space.vars.beta %}\n{% hint style="info" %}\n{{ page.vars.version }}\n{% endhint %}\n{% endif %}';
    expect(evaluated(nested)).toBe('{% hint style="info" %}\n2\n{% endhint %}');
  });

  test('an evaluated document keeps a block that contained only conditions', () => {
    const markdown = '{% hint style="info" %}\n{% if space.vars.none %}\nInside\n{% endif %}\n{% endhint %}';
    const document = evaluateDocument(parseMarkdown(markdown), INPUTS, 'all');
    expect(document.nodes).toMatchObject([{ type: 'hint', nodes: [{ type: 'paragraph' }] }]);
  });

  test('evaluating a document without expressions returns the same document', () => {
    const document = parseMarkdown('# Title\n\n| a |\n|---|\n| b |');
    expect(evaluateDocument(document, INPUTS, 'all')).toBe(document);
  });
});

test('deterministic evaluation keeps expressions that depend on the visitor or the time', () => {
  const markdown = '{{ space.vars.product }} {{ visitor.claims.plan }} {{ now }}';
  expect(evaluated(markdown, 'deterministic')).toBe('Colophon {{ visitor.claims.plan }} {{ now }}');
});

test('deterministic evaluation also applies inside conditions that are kept', () => {
  const markdown = '{% if visitor.claims.plan %}\n{{ space.vars.product }}\n{% endif %}';
  expect(evaluated(markdown, 'deterministic')).toBe('{% if visitor.claims.plan %}\nColophon\n{% endif %}');
});
