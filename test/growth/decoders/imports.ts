import { BOOK_PATH, parseConfig, parseSettings } from '../../../routers/engine/import/config.ts';
import { parseFrontMatter } from '../../../routers/engine/import/front-matter.ts';
import { readInline } from '../../../routers/engine/import/inline.ts';
import { indexFiles } from '../../../routers/engine/import/locate.ts';
import { describeMedia } from '../../../routers/engine/import/media.ts';
import { foldPath } from '../../../routers/engine/import/paths.ts';
import { planRedirects } from '../../../routers/engine/import/redirects.ts';
import type { Scan } from '../../../routers/engine/import/scan.ts';
import { decodeText } from '../../../routers/engine/import/text.ts';
import { parseYaml } from '../../../routers/engine/import/yaml.ts';
import { ADDRESSES, aliases, keys, merges, nest, repeat, WORDS } from '../decoder-texts.ts';
import { type Decoder, orError } from './decoder.ts';

/** Decoders of imported repositories. */
export const IMPORT_DECODERS: Record<string, Decoder> = {
  'lines of Markdown': {
    modules: ['routers/engine/import/inline.ts'],
    decode: readInline,
    hostile: { links: repeat('[a](b) '), brackets: repeat('['), entities: repeat('&ngE;') },
  },
  YAML: {
    modules: ['routers/engine/import/yaml.ts'],
    decode: (text) => parseYaml(text, { maxLength: 1e9, maxDepth: 100, merges: true }),
    hostile: { aliases, merges, lists: repeat('- '), flow: nest('[', ']'), numbers: repeat('9', 'a: 1e') },
  },
  'front matter': {
    modules: ['routers/engine/import/yaml.ts'],
    decode: parseFrontMatter,
    hostile: { aliases, merges },
  },
  '.gitbook.yaml': {
    modules: ['routers/engine/import/yaml.ts'],
    decode: orError(parseConfig),
    hostile: { aliases, merges, redirects: keys((index) => `a${index}: b`, 'redirects: {', '}') },
  },
  'book.json': {
    modules: ['routers/engine/import/config.ts'],
    decode: orError((text: string) => parseSettings(BOOK_PATH, text)),
    hostile: { lists: nest('[', ']'), members: keys((index) => `"a${index}": 1`, '{', '}') },
  },
  'redirects of .gitbook.yaml': {
    modules: ['routers/engine/import/redirects.ts'],
    decode: (text) => {
      const scan = { config: { root: '', redirects: [[text, text]] } } as unknown as Scan;
      const targets = {
        index: indexFiles([], ''),
        pages: new Map(),
        files: new Map(),
        reusableContents: new Map(),
      };
      return planRedirects(scan, targets, []);
    },
    hostile: { ...WORDS, ...ADDRESSES },
  },
  images: {
    modules: ['routers/engine/import/media.ts'],
    decode: (text) => describeMedia(Buffer.from(text, 'latin1')),
    hostile: {
      JPEG: repeat('\x00\x02\xff\xe1', '\xff\xd8\xff\xe1'),
      SVG: repeat('width="1" ', '<svg '),
      GIF: repeat('\xff', 'GIF89a'),
      PNG: repeat('\xff', '\x89PNG\r\n\x1a\n'),
      WebP: repeat('\xff', 'RIFF0000WEBPVP8 '),
    },
  },
  'bytes of text': {
    modules: ['routers/engine/import/text.ts'],
    decode: (text) => decodeText(Buffer.from(text, 'latin1')),
    hostile: { valid: repeat('a\r\n'), 'invalid at its end': repeat('a', '', '\xff') },
  },
  'paths of files': {
    modules: ['routers/engine/nfc.ts'],
    decode: foldPath,
    hostile: WORDS,
  },
};
