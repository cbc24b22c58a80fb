import { bundleSpec } from '../../../routers/engine/specs/bundle.ts';
import { addHtmlDescriptions } from '../../../routers/engine/specs/descriptions.ts';
import { valueAt } from '../../../routers/engine/specs/pointers.ts';
import { parseSpecText } from '../../../routers/engine/specs/read.ts';
import { apiBlock } from '../../../server/pages/document/api.ts';
import { en } from '../../../server/pages/languages/en.ts';
import { aliases, JSON_TEXTS, keys, merges, repeat, WORDS } from '../decoder-texts.ts';
import type { Decoder } from './decoder.ts';

/** Decoders of OpenAPI documents. */
export const SPEC_DECODERS: Record<string, Decoder> = {
  'OpenAPI documents': {
    modules: ['routers/engine/specs/read.ts', 'routers/engine/specs/json-keys.ts'],
    decode: (text) => parseSpecText(Buffer.from(text)),
    hostile: { ...JSON_TEXTS, aliases, merges },
  },
  'references of an OpenAPI document': {
    modules: ['routers/engine/specs/bundle.ts'],
    decode: (text) => {
      const result = bundleSpec([{ bytes: Buffer.from(text), url: 'http://docs.test/api.json' }]);
      return 'spec' in result ? result.spec.document.bytes.toString() : result;
    },
    hostile: {
      'to itself': keys(
        (index) => `"a${index}":{"$ref":"#"}`,
        '{"openapi":"3.1.0","info":{},"paths":{},"components":{"schemas":{',
        '}}}',
      ),
      'to other documents': keys(
        (index) => `"a${index}":{"$ref":"a${index}.json"}`,
        '{"openapi":"3.1.0","info":{},"paths":{},"components":{"schemas":{',
        '}}}',
      ),
    },
  },
  'JSON pointers': {
    modules: ['routers/engine/specs/pointers.ts'],
    decode: (text) => valueAt({}, text),
    hostile: { steps: repeat('/a'), escapes: repeat('~1', '/'), 'percent signs': repeat('%25', '/') },
  },
  'examples of requests': {
    modules: ['server/pages/document/samples.ts'],
    decode: (path) => {
      const operation = { parameters: [{ name: 'a', in: 'path' }], responses: {} };
      const block = { object: 'block', type: 'openapi-operation', data: { path, method: 'get' } } as const;
      return apiBlock(block, { paths: { [path]: { get: operation } } }, en, new Set())?.text;
    },
    hostile: { parameters: repeat('{a}'), braces: repeat('{'), segments: repeat('/') },
    always: 20_000,
    most: 30,
  },
  'descriptions of specifications': {
    modules: ['routers/engine/specs/descriptions.ts'],
    decode: (description) => {
      const document = { info: { description } };
      addHtmlDescriptions(document);
      return document;
    },
    hostile: {
      ...WORDS,
      quotes: repeat('>'),
      lists: repeat('* '),
      links: repeat('[a]('),
      brackets: repeat('['),
      emphasis: repeat('*a **b '),
      tags: repeat('<b>'),
      tables: repeat('|a', '|a|\n|-|\n'),
    },
  },
};
