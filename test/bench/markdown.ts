import MarkdownIt from 'markdown-it';
import { parseMarkdown, serializeMarkdown } from '../../routers/engine/markdown/markdown.ts';
import { docsSection } from './docs-text.ts';
import { median } from './processes.ts';

const ROUNDS = 9;
/** Rounds that warm up the code before those that are measured. */
const WARM_UP = 3;
const PAGE_BYTES = 3000;
const PAGES = 200;

/** The maximum CPU time for any text of these sizes, during which other requests wait, in milliseconds. */
const HOSTILE_BOUND = 1000;

const HOSTILE: Record<string, string> = {
  '80 kB of `*a_ `': '*a_ '.repeat(20_000),
  '80 kB of `**a `, never closed': '**a '.repeat(20_000),
  '80 kB of `_a*b`': '_a*b'.repeat(20_000),
  '5,000 nested quotes': `${'>'.repeat(5000)} a\n`,
  '300 nested lists': Array.from({ length: 300 }, (_, i) => `${'  '.repeat(i)}* a\n`).join(''),
  '5,000 list markers in a line': `${'* '.repeat(5000)}a\n`,
  '5,000 hints, never closed': '{% hint style="info" %}\n'.repeat(5000),
  '5,000 tabs, never closed': '{% tabs %}\n{% tab title="a" %}\n'.repeat(2500),
  '5,000 ends without beginnings': '{% endhint %}\n'.repeat(5000),
  '10,000 `<div>`, never closed': '<div>\n'.repeat(10_000),
  '10,000 `<b>` in a paragraph': '<b>'.repeat(10_000),
  '5,000 `<details>`, never closed': '<details>\n\n<summary>a</summary>\n\n'.repeat(2500),
  '50,000 `[`': '['.repeat(50_000),
  '20,000 `![](`': '![]('.repeat(20_000),
  'backticks in rising runs': Array.from({ length: 400 }, (_, i) => `${'`'.repeat(i + 1)}a`).join(' '),
  'a table of 1,000 by 20': `|${' a |'.repeat(20)}\n|${' - |'.repeat(20)}\n${`|${' b |'.repeat(20)}\n`.repeat(1000)}`,
  'a paragraph of 20,000 lines': 'a line of text\n'.repeat(20_000),
  '20,000 backslashes': '\\'.repeat(20_000),
  '10,000 entities': '&amp;'.repeat(10_000),
  '1 MB of `*`': `${'*'.repeat(1_000_000)}a`,
  '1 MB of blanks in a heading': `# a${' '.repeat(1_000_000)}b`,
  '1 MB of dots in a heading': `# a${'.'.repeat(1_000_000)}b`,
  '1 MB of code between blanks': `\` ${'a'.repeat(1_000_000)} \``,
  '1 MB of blanks in a tag': `{% embed url="${' '.repeat(1_000_000)}a" %}`,
  '1 MB of blanks behind a divider': `---${' '.repeat(1_000_000)}`,
  '1 MB of brackets in a link': `[${'[]'.repeat(500_000)}](a)`,
  '150 kB of a table with one wide cell': `| a |\n|-|\n| b\n${'b\n'.repeat(25_000)}${'c'.repeat(100_000)}\n`,
  '20 kB of a long footnote used often': `${'a[^1] '.repeat(1700)}\n\n[^1]: ${'b '.repeat(5000)}\n`,
  'a table of 20,000 rows': `a|b\n-|-\n${'a|b\n'.repeat(20_000)}`,
};

/** Measures parsing and serializing Markdown, compared with the underlying parser alone, and hostile inputs. */
export async function benchMarkdown(): Promise<void> {
  const pages = Array.from({ length: PAGES }, (_, page) => {
    let text = '';
    for (let section = 1; text.length < PAGE_BYTES; section++) text += docsSection(page, section);
    return text;
  });
  const bytes = pages.reduce((sum, page) => sum + Buffer.byteLength(page), 0);
  const documents = pages.map((page) => parseMarkdown(page));
  const bare = new MarkdownIt({ html: true });
  const rate = (work: () => void) => {
    const times = Array.from({ length: WARM_UP + ROUNDS }, () => timed(work));
    return bytes / 1e6 / (median(times.slice(WARM_UP)) / 1000);
  };
  const alone = rate(() => pages.forEach((page) => void bare.parse(page, {})));
  const read = rate(() => pages.forEach((page) => void parseMarkdown(page)));
  const written = rate(() => documents.forEach((document) => void serializeMarkdown(document)));
  const row = (value: number) => ({ 'MB/s': value.toFixed(2), ratio: (value / alone).toFixed(2) });
  console.log(`${PAGES} pages of ${PAGE_BYTES} bytes, median of ${ROUNDS}`);
  console.table({
    'markdown-it alone': row(alone),
    'parsed into documents (parsed, serialized and parsed again to verify)': row(read),
    'serialized from documents': row(written),
  });

  console.log(`hostile inputs, parsed and serialized: each below ${HOSTILE_BOUND} ms`);
  console.table(
    Object.fromEntries(
      Object.entries(HOSTILE).map(([name, text]) => {
        const milliseconds = timed(() => serializeMarkdown(parseMarkdown(text)));
        return [
          name,
          {
            kB: Math.round(text.length / 1000),
            ms: Math.round(milliseconds),
            ok: milliseconds < HOSTILE_BOUND,
          },
        ];
      }),
    ),
  );
}

/** The CPU time of some work in milliseconds, which other work on the machine does not affect. */
function timed(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
