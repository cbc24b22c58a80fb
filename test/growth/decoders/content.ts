import { attributesIn } from '../../../routers/engine/document/attribute-lists.ts';
import { partsOf } from '../../../routers/engine/document/bare-urls.ts';
import { DocumentInput } from '../../../routers/engine/document/document.ts';
import { shownIntegration } from '../../../routers/engine/document/integrations.ts';
import { isMdxComment } from '../../../routers/engine/document/mdx-comments.ts';
import { namesInStatements } from '../../../routers/engine/document/mdx-statements.ts';
import { emojiCharacters, parseEmoji } from '../../../routers/engine/emoji.ts';
import { parseExpression } from '../../../routers/engine/expressions/parse.ts';
import { createGitbookAnchors } from '../../../routers/engine/links/gitbook-anchors.ts';
import { readComponentTag } from '../../../routers/engine/markdown/component-tags.ts';
import { BROWSER_RULES } from '../../../routers/engine/markdown/html/browser-rules.ts';
import { decodeEntities, parseHtml } from '../../../routers/engine/markdown/html/html.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { emojiOfCode } from '../../../routers/engine/markdown/parse/shortcodes.ts';
import { parseIntegration } from '../../../routers/engine/markdown/tags.ts';
import { mathOf } from '../../../routers/engine/pdf/math.ts';
import { slugify } from '../../../routers/engine/store/slug.ts';
import { MARKS, nest, repeat, WORDS } from '../decoder-texts.ts';
import { type Decoder, json, orError } from './decoder.ts';

/** Decoders of documents and Markdown. */
export const CONTENT_DECODERS: Record<string, Decoder> = {
  documents: {
    modules: ['routers/engine/document/document.ts', 'routers/engine/document/table-data.ts'],
    decode: json((value) => {
      const { data } = DocumentInput.safeParse(value);
      return data && serializeMarkdown(data);
    }),
    hostile: {
      nodes: nest(
        '{"object":"document","data":{"schemaVersion":1},"nodes":[{"object":"block","type":"quote","nodes":[',
        ']}]}',
      ),
      // Columns, and rows without any cells.
      tables: (size) => {
        const count = size / 40;
        const named = (value: string) => Array.from({ length: count }, (_, index) => `"n${index}":${value}`);
        const data = `{"definition":{${named('{}')}},"records":{${named('{}')}}}`;
        const table = `{"object":"block","type":"table","isVoid":true,"data":${data}}`;
        return `{"object":"document","data":{"schemaVersion":1},"nodes":[${table}]}`;
      },
    },
    // 200,000 empty cells.
    always: 200_000 * '<td></td>'.length,
    most: 40,
  },
  'URLs in text': {
    modules: ['routers/engine/document/bare-urls.ts'],
    decode: partsOf,
    hostile: {
      'URLs in a row': repeat('https://a.example/'),
      'the same apart': repeat('www.a.example '),
      parentheses: (size) => `https://a.example/${'('.repeat(size / 2)}${')'.repeat(size / 2)}`,
      'punctuation at the end': (size) => `https://a.example/${'.'.repeat(size)}`,
    },
    most: 40,
  },
  Markdown: {
    modules: [
      'routers/engine/markdown/parse/parser.ts',
      'routers/engine/markdown/parse/plain-tokens.ts',
      'routers/engine/markdown/parse/block-rules.ts',
      'routers/engine/markdown/parse/mkdocs-rules.ts',
      'routers/engine/markdown/parse/flanking.ts',
      'routers/engine/markdown/parse/inline-rules.ts',
      'routers/engine/markdown/parse/placeholders.ts',
      'routers/engine/markdown/parse/divided-tables.ts',
      'routers/engine/markdown/parse/tag-indents.ts',
      'routers/engine/markdown/tables/table-rule.ts',
    ],
    decode: parseMarkdown,
    hostile: {
      'short rows of a wide table': (size) => {
        const columns = size / 6;
        return `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${'|\n'.repeat(columns)}`;
      },
      'short rows of many tables': repeat(
        `${'|a'.repeat(150)}|\n${'|-'.repeat(150)}|\n${'|\n'.repeat(300)}\n`,
      ),
      'tags that name something, in text and in images': repeat('<x> ![<y>](a)'),
      'rows of a table': repeat('|\n', '|a|\n|-|\n'),
      'tables with blank lines': repeat('<table>\n\n'),
      marks: repeat(MARKS, '# a'),
      entities: repeat('&ngE;'),
      lists: repeat('* '),
      numbers: repeat('999999999. a\n'),
    },
    most: 250,
  },
  'HTML in Markdown': {
    modules: ['routers/engine/markdown/html/html.ts', 'routers/engine/markdown/html/optional-tags.ts'],
    decode: (text: string) => parseHtml(text),
    hostile: {
      elements: nest('<b>', '</b>'),
      'items without end tags': repeat('<li>a', '<ul>', '</ul>'),
      'paragraphs without end tags': repeat('<p>a ', '', '</p>'),
      'cells without end tags': repeat('<tr><td>a<td>', '<table>', '</table>'),
      'end tags of paragraphs': repeat('</p>'),
      attributes: repeat(' a="b"', '<b', '></b>'),
      entities: repeat('&ngE;'),
    },
    // An element of three characters is an object with five fields.
    most: 20,
  },
  'malformed HTML in Markdown': {
    modules: ['routers/engine/markdown/html/html.ts', 'routers/engine/markdown/html/browser-rules.ts'],
    decode: (text: string) => parseHtml(text, BROWSER_RULES),
    hostile: {
      'elements without end tags': repeat('<b>'),
      'end tags': repeat('</b>'),
      'rows without end tags': repeat('<tr><td><b>', '<table>'),
      'signs that begin no tag': repeat('<'),
      'elements that end themselves': repeat('<b/>'),
    },
    most: 40,
  },
  'tags of components': {
    modules: ['routers/engine/markdown/component-tags.ts'],
    decode: (text: string) => readComponentTag(text, 0),
    hostile: {
      attributes: repeat(' a="b"', '<Ab', '/>'),
      braces: repeat('{', '<Ab a=', '>'),
      entities: repeat('&ngE;', '<Ab a="', '">'),
    },
    most: 20,
  },
  entities: {
    modules: ['routers/engine/markdown/html/html.ts'],
    decode: decodeEntities,
    hostile: { named: repeat('&ngE;'), numbered: repeat('&#x1F468;'), open: repeat('&#x1F468') },
  },
  'JSON of tags': {
    modules: ['routers/engine/markdown/tags.ts'],
    decode: parseIntegration,
    hostile: { attributes: repeat(' a="b"', '{% @a/b', ' %}'), braces: repeat('{', '{% @a/b a=', ' %}') },
  },
  'texts of integrations': {
    modules: ['routers/engine/document/integrations.ts'],
    decode: (content) =>
      shownIntegration({ object: 'block', type: 'integration', data: { props: { content } } }),
    hostile: { lines: repeat('\n', 'a', 'a'), blanks: repeat(' ', 'a', 'a'), carriages: repeat('\r') },
    // Each line is a block.
    most: 100,
  },
  'addresses of integrations': {
    modules: ['routers/engine/document/integrations.ts'],
    decode: (url) => shownIntegration({ object: 'block', type: 'integration', data: { url } }),
    hostile: { segments: repeat('../', 'https://a/'), labels: repeat('a.', 'https://') },
  },
  'short names of emoji': {
    modules: ['routers/engine/markdown/parse/shortcodes.ts'],
    decode: emojiOfCode,
    hostile: WORDS,
  },
  'attribute lists': {
    modules: ['routers/engine/document/attribute-lists.ts'],
    decode: attributesIn,
    hostile: {
      names: repeat(' a', '{:', '}'),
      classes: repeat(' .a', '{'),
      values: repeat(' a="b', '{'),
      ids: repeat('#'),
    },
  },
  'comments of MDX': {
    modules: ['routers/engine/document/mdx-comments.ts'],
    decode: isMdxComment,
    hostile: { openings: repeat('{/*'), closings: repeat('*/}', '{/*'), ids: repeat('a', '{/*', '*/') },
  },
  'statements of MDX': {
    modules: ['routers/engine/document/mdx-statements.ts'],
    decode: namesInStatements,
    hostile: {
      imports: repeat("import A from 'a'\n"),
      clauses: repeat('A, ', 'import {', "} from 'a'"),
      blanks: repeat(' ', "import A from 'a'", ';b'),
      'open texts': repeat("import A from 'a\n"),
      exports: repeat('A', 'export const '),
    },
    most: 60,
  },
  emoji: { modules: ['routers/engine/emoji.ts'], decode: parseEmoji, hostile: WORDS },
  formulas: {
    modules: ['routers/engine/pdf/math.ts'],
    decode: (text) => mathOf(text, { isBlock: true }),
    hostile: { ...WORDS, groups: nest('{', '}'), macros: repeat('\\a', '\\def\\a{xx}') },
  },
  conditions: {
    modules: ['routers/engine/expressions/parse.ts'],
    decode: orError((text) => parseExpression(text)),
    hostile: {
      groups: nest('(', ')'),
      members: repeat('.a', 'a'),
      signs: repeat('!', '', 'a'),
      sums: repeat('a+', '', 'a'),
      choices: repeat('a?', '', 'a'),
      digits: repeat('9'),
    },
  },
  'anchors of GitBook': {
    modules: ['routers/engine/links/gitbook-anchors.ts'],
    decode: (text) => {
      const anchorOf = createGitbookAnchors();
      return text.split('\n').map(anchorOf);
    },
    hostile: {
      Chinese: repeat(`${'知识库配置'.repeat(50)}\n`),
      'the same': repeat('知识\n'),
      Korean: repeat('끝\n'),
      apostrophes: repeat("я'"),
      kana: repeat(`${'ッっー'.repeat(90)}\n`),
      marks: repeat(`${'я\u0301'.repeat(140)}\n`),
    },
    most: 40,
  },
  slugs: { modules: ['routers/engine/store/slug.ts'], decode: slugify, hostile: WORDS },
  'emojis in pages': {
    modules: ['routers/engine/emoji.ts', 'server/pages/document/inlines.ts'],
    decode: emojiCharacters,
    hostile: { points: repeat('1f389-'), hyphens: repeat('-') },
  },
};
