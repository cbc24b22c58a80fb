import { deviceOf } from '../../../routers/auth/device.ts';
import { transformer } from '../../../routers/base/transformer.ts';
import { verifyUploadToken } from '../../../routers/content/uploads.ts';
import { decodeBase64 } from '../../../routers/engine/edit/files.ts';
import { percentDecode } from '../../../routers/engine/percent-encoding.ts';
import { parseBody } from '../../../routers/engine/tasks/body.ts';
import { parseJson } from '../../../schema/json/parse-json.ts';
import { inputProblem } from '../../../schema/json/value.ts';
import { cookieOf } from '../../../server/auth/browser.ts';
import { languageOf } from '../../../server/auth/languages/index.ts';
import { createJsonBounds } from '../../../server/hardening/json-bounds.ts';
import { createSigner } from '../../../server/signer.ts';
import { announced, JSON_TEXTS, nest, repeat, WORDS } from '../decoder-texts.ts';
import { type Decoder, json, orError } from './decoder.ts';

/** Decoders of requests over HTTP and tRPC. */
export const REQUEST_DECODERS: Record<string, Decoder> = {
  'JSON bodies': {
    modules: ['server/hardening/json-bounds.ts', 'server/http/bodies.ts', 'routers/engine/tasks/body.ts'],
    decode: (text) => {
      const bytes = Buffer.from(text);
      return (
        createJsonBounds().check(bytes) ??
        orError(() => parseBody(bytes, { maxValues: 120_000, maxNames: 10_000 }))(text)
      );
    },
    hostile: JSON_TEXTS,
  },
  JSON: {
    modules: ['schema/json/parse-json.ts'],
    decode: orError(parseJson),
    hostile: {
      ...JSON_TEXTS,
      'keys with escapes': repeat('"\\n":1,', '{', '"a":1}'),
      'nested keys with escapes': nest('{"\\n":', '}'),
      'escapes in a string': repeat('\\n', '"', '"'),
      'an escape in a long key': repeat('a', '{"\\n', '":1}'),
      'escapes outside of strings': repeat('\\:'),
      'spaces after strings': repeat('"\\n" , ', '[', '1]'),
    },
  },
  'values of an input': {
    modules: ['schema/json/value.ts'],
    decode: json(inputProblem),
    hostile: JSON_TEXTS,
  },
  'inputs over tRPC': {
    modules: ['routers/base/transformer.ts', 'routers/base/superjson-input.ts'],
    decode: orError(json(transformer.input.deserialize)),
    hostile: {
      ...Object.fromEntries(
        ['undefined', 'Date', 'number', 'bigint', 'regexp', 'set', 'map', 'Error', 'URL'].map((type) => [
          type,
          announced(type),
        ]),
      ),
      'a typed array': repeat(
        ' ',
        '{"json":{"x":1e8},"meta":{"values":{"x":[["typed-array","Uint8Array"]]}}}',
      ),
      'all undefined': (size) => {
        const count = Math.ceil(size / 32);
        const values = Array.from({ length: count }, (_, index) => `"${index}":["undefined"]`);
        return `{"json":[${Array(count).fill('null')}],"meta":{"values":{${values}},"v":1}}`;
      },
      'an item far beyond the end': repeat(' ', '{"json":[],"meta":{"values":{"4294967294":["undefined"]}}}'),
      'a deep path': (size) =>
        `{"json":${nest('{"a":', '}')(size).replace(':}', ':1}')},"meta":{"values":{"${'a.'.repeat(size / 8)}a":["Date"]}}}`,
      references: repeat('"a.b",', '{"json":{"a":{}},"meta":{"referentialEqualities":{"a":[', '"a"]}}}'),
      'annotations in each other': repeat('["undefined",{"a":', '{"json":{},"meta":{"values":{"a":'),
    },
  },
  forms: {
    modules: ['server/auth/forms.ts'],
    decode: (text) => [...new URLSearchParams(text)],
    hostile: { fields: repeat('a=b&'), ampersands: repeat('&'), encoded: repeat('%41', 'a=') },
  },
  cookies: {
    modules: ['server/auth/browser.ts'],
    decode: (text) => cookieOf(text, 'colophon_session'),
    hostile: {
      pairs: repeat('a=b; '),
      'equals signs': repeat('='),
      semicolons: repeat(';'),
      blanks: repeat(' '),
    },
  },
  languages: {
    modules: ['server/auth/languages/index.ts'],
    decode: (text) => languageOf(text).code,
    hostile: { commas: repeat(','), weights: repeat('de;q=0.5,'), semicolons: repeat(';q=') },
  },
  'user agents': {
    modules: ['routers/auth/device.ts'],
    decode: deviceOf,
    hostile: WORDS,
  },
  'percent-encoding': {
    modules: ['routers/engine/percent-encoding.ts'],
    decode: percentDecode,
    hostile: { encoded: repeat('%41'), broken: repeat('%'), 'broken at its end': repeat('%41', '', '%') },
  },
  'files as base64': {
    modules: ['routers/engine/edit/files.ts'],
    decode: decodeBase64,
    hostile: { letters: repeat('QUJD'), signs: repeat('===='), blanks: repeat('QU \n') },
  },
  'names of uploads': {
    modules: ['routers/content/uploads.ts'],
    decode: (text) => verifyUploadToken(createSigner('k'.repeat(43)), text, 'space', 0),
    hostile: { ...WORDS, base64: repeat('W1tb', '', '.QUJD'), parts: repeat('.') },
  },
  signatures: {
    modules: ['server/signer.ts'],
    decode: (text) => createSigner('k'.repeat(43)).verify('cursor', 'text', text),
    hostile: WORDS,
  },
};
