import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planImport } from '../../../routers/engine/import/plan.ts';
import { scanSource } from '../../../routers/engine/import/scan.ts';
import { ImportError } from '../../../routers/engine/import/source.ts';
import { memorySource } from './memory-source.ts';

const path = fc.constantFrom(
  ...[
    'README.md',
    'a.md',
    'b.md',
    'A.md',
    'd/README.md',
    'd/a.md',
    'd/d/index.md',
    'e/x y.md',
    'docs/a.md',
    'i.png',
  ],
  ...[
    '.gitbook/assets/f.pdf',
    '.gitbook/includes/s.md',
    'docs/.gitbook/includes/s.md',
    'd.md',
    '---.md',
    'é/ü.md',
  ],
);
const href = fc.oneof(
  path,
  fc
    .tuple(fc.constantFrom('../', './', '/', ''), path, fc.constantFrom('', '#x', '?q', '#'))
    .map((parts) => parts.join('')),
  fc.constantFrom(
    'https://x.org',
    '#x',
    '',
    '../../..',
    'd/',
    '%E0%A4%A',
    'mailto:a@b.c',
    '%2e%2e/a.md',
    'gone.md',
  ),
);
const word = fc.oneof(
  fc.constantFrom('A', 'B', '**C**', '`d`', '\\[e\\]', '&amp;', '', '<a id="x"></a>'),
  fc.string({ maxLength: 4 }),
);
const indent = fc.constantFrom('', '', ' ', '  ', '    ', '\t', '\t\t', '      ');
const entry = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(indent, word, href).map(([space, text, to]) => `${space}* [${text}](<${to}>)`),
  },
  fc
    .tuple(indent, word, href, word)
    .map(([space, text, to, title]) => `${space}- [${text}](${to} "${title}")`),
  fc.tuple(indent, word).map(([space, text]) => `${space}1. ${text}`),
  fc.tuple(fc.constantFrom('# ', '## ', '### '), word).map((parts) => parts.join('')),
  fc.constantFrom('***', '* ```yaml', '  type: x', '  ```', ''),
  fc.string(),
);
const frontMatter = fc.constantFrom(
  ...[
    '',
    '---\ntitle: T\n---\n',
    '---\ncover: i.png\nicon: [\n---\n',
    '---\nslug: s\nlayout: 5\nvars: {a: 1}\n---\n',
    '---\n',
  ],
);
const page = fc
  .tuple(frontMatter, fc.constantFrom('# ', '', 'x\n===\n'), word, href)
  .map(([head, mark, text, to]) => `${head}${mark}${text}\n\n[l](${to}) ![](<${to}>)`);
const repository = fc.record(
  {
    files: fc.dictionary(path, fc.oneof(page, page, page, fc.uint8Array()), { noNullPrototype: true }),
    summary: fc.array(entry, { maxLength: 15 }).map((lines) => lines.join('\n')),
    config: fc.constantFrom(
      '',
      'root: docs',
      'root: ..',
      'structure: {readme: d.md, summary: b.md}',
      'redirects: {x: a.md, y: z}',
      'a: [',
    ),
  },
  { requiredKeys: ['files'] },
);

test('any repository is planned as a valid tree whose links lead to imported content, or rejected with a clear error', async () => {
  await fc.assert(
    fc.asyncProperty(repository, async ({ files, summary, config }) => {
      const source = memorySource({
        ...files,
        ...(summary === undefined ? {} : { 'SUMMARY.md': summary }),
        ...(config === undefined ? {} : { '.gitbook.yaml': config }),
      });
      let plan: ReturnType<typeof planImport>;
      try {
        plan = planImport(await scanSource(source), {
          pageIdOf: (key) => `page ${key}`,
          fileIdOf: (key) => `file ${key}`,
          reusableIdOf: (key) => `reusable ${key}`,
        });
      } catch (error) {
        expect(error).toBeInstanceOf(ImportError);
        return;
      }
      const seen = new Set<string>();
      for (const { id, parent, type, title, git } of plan.pages) {
        expect(seen).not.toContain(id);
        seen.add(id);
        if (parent !== null) expect(seen).toContain(parent);
        expect(title).not.toBe('');
        expect(title).toBe(title.trim());
        expect(git === undefined || type === 'document').toBe(true);
      }
      const known = new Set([
        ...seen,
        ...plan.files.map(({ id }) => id),
        ...plan.reusableContents.map(({ id }) => id),
      ]);
      const refs = plan.pages.flatMap(({ target, cover }) => [target, cover?.ref, cover?.refDark]);
      for (const ref of refs) {
        if (ref?.kind === 'page') expect(known).toContain(ref.page);
        if (ref?.kind === 'anchor' && ref.page !== undefined) expect(known).toContain(ref.page);
        if (ref?.kind === 'file') expect(known).toContain(ref.file);
      }
      // The store rejects NUL and lone surrogates.
      expect(JSON.stringify([plan.pages, plan.variables])).not.toMatch(/\\u(?:0000|d[89a-f])/);
      const texts = Object.keys(files).filter((name) => name.endsWith('.md') && !name.includes('.gitbook'));
      if (summary === undefined && config === undefined) {
        const reported = new Set(plan.report.map(({ file }) => file));
        const imported = new Set(plan.pages.map(({ git }) => git?.path));
        for (const name of texts) expect(imported.has(name) || reported.has(name)).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
