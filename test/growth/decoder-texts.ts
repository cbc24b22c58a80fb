/** Hostile texts of about a given size, which make decoders produce as much output, or do as much work, as possible. */
export type Make = (size: number) => string;

export const repeat =
  (part: string, before = '', after = ''): Make =>
  (size) =>
    before + part.repeat(Math.ceil(size / part.length)) + after;
export const nest =
  (open: string, close: string): Make =>
  (size) => {
    const count = Math.ceil(size / (open.length + close.length));
    return open.repeat(count) + close.repeat(count);
  };
export const keys =
  (make: (index: number) => string, before = '{', after = '}'): Make =>
  (size) =>
    before + Array.from({ length: Math.ceil(size / 16) }, (_, index) => make(index)).join() + after;
/** Nine levels with ten aliases each. */
export const aliases: Make = (size) =>
  Array.from({ length: 9 }, (_, level) =>
    level === 0
      ? `a0: &a0 [${'x,'.repeat(size / 2)}]\n`
      : `a${level}: &a${level} [${`*a${level - 1},`.repeat(10)}]\n`,
  ).join('');
export const merges: Make = (size) => {
  const members = Array.from({ length: size / 32 }, (_, index) => `  k${index}: 1\n`).join('');
  return `a: &a\n${members}b:\n${'  - <<: *a\n'.repeat(size / 32)}`;
};
export const announced = (type: string): Make =>
  keys((index) => `"k${index}":["${type}"]`, '{"json":{"k0":100000000},"meta":{"values":{', '},"v":1}}');

export const MARKS = '\u0301\u0316';
export const JSON_TEXTS: Record<string, Make> = {
  arrays: nest('[', ']'),
  objects: nest('{"a":', '}'),
  numbers: repeat('1,', '[', '1]'),
  'a number of many digits': repeat('9'),
  'a number with an exponent': repeat('9', '1e'),
  escapes: repeat('\\u0041', '"', '"'),
  backslashes: repeat('\\\\', '"', '"'),
  keys: keys((index) => `"key ${index}":1`),
  'equal keys': repeat('"a":1,', '{', '"a":1}'),
  'names of prototypes': repeat('"__proto__":{"constructor":', '{', ''),
  'a text that does not end': repeat('a', '"'),
};
export const ADDRESSES: Record<string, Make> = {
  segments: repeat('a/', 'http://docs.test/'),
  'steps back': repeat('a/../', 'http://docs.test/'),
  'percent signs': repeat('%', 'http://docs.test/'),
  'encoded letters': repeat('%41', 'http://docs.test/'),
  'encoded marks': repeat('%CC%81%CC%96', 'http://docs.test/'),
  marks: repeat(MARKS, 'http://docs.test/a'),
  'marks in the host': repeat(MARKS, 'http://a', '.test/'),
  punycode: repeat('a9', 'http://xn--', '.test/'),
  labels: repeat('é.', 'http://', 'test/'),
  parameters: repeat('a=1&', 'http://docs.test/?'),
  credentials: repeat('a:@', 'http://', 'docs.test/'),
  ports: repeat('8', 'http://docs.test:', '/'),
};
export const WORDS: Record<string, Make> = {
  letters: repeat('a'),
  marks: repeat(MARKS, 'a'),
  'percent signs': repeat('%25', '/'),
  dots: repeat('a.'),
  punycode: repeat('xn--a9.'),
  'code points': repeat('1f468-'),
};
