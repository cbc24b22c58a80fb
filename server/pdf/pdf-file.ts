/** Reads the files that the typesetter writes: PDF 1.7 with a table of offsets, one revision, and nothing encrypted. */

/** An object of a file: what it says, and the bytes that follow if it is a stream. */
interface PdfObject {
  /** As Latin-1, up to the keyword `stream` or to its end. */
  text: string;
  stream?: Buffer;
}

/** What takes the place of what an object of a file names. */
export interface Renaming {
  /** The number of an object. */
  reference(number: number): number;
  /** The key of the marks of a page, or of a link. */
  structParent(key: number): number;
  /** Begins each name of an element. */
  idPrefix: string;
}

export interface PdfFile {
  /** One more than the highest number of an object. */
  size: number;
  catalog: string;
  trailer: string;
  /** The number of what holds the pages, and their numbers in order. */
  pageTree: number;
  pages: number[];
  object(number: number): PdfObject;
}

/** @throws if it is not as the typesetter writes them */
export function openPdf(bytes: Buffer): PdfFile {
  const table = Number(
    expect(/startxref\s+(\d+)\s+%%EOF\s*$/, bytes.toString('latin1', bytes.length - 64))[1],
  );
  const end = bytes.toString('latin1', table);
  const [head = '', size] = expect(/^xref\s+0 (\d+)\s+/, end);
  const trailer = end.slice(end.indexOf('trailer'));
  const offsets = end
    .slice(head.length, -trailer.length)
    .split('\n')
    .map((line) => (line.includes(' n') ? Number(line.slice(0, 10)) : -1));
  const sorted = [...offsets.filter((offset) => offset >= 0), table].sort((one, other) => one - other);
  const ends = new Map(sorted.map((offset, index) => [offset, sorted[index + 1] ?? table]));
  const object = (number: number): PdfObject => {
    const start = offsets[number] ?? -1;
    if (start < 0) throw new Error(`the file has no object ${number}`);
    return readObject(bytes.subarray(start, ends.get(start)));
  };
  const catalog = object(reference(trailer, 'Root')).text;
  const pageTree = reference(catalog, 'Pages');
  const pages = references(object(pageTree).text, 'Kids');
  return { size: Number(size), catalog, trailer, pageTree, pages, object };
}

/** Brackets of dictionaries and texts: the keyword `stream` follows the last of them, and may stand in texts. */
const BRACKETS = /\(|<<|>>/g;

function readObject(bytes: Buffer): PdfObject {
  const text = bytes.toString('latin1');
  const begin = expect(/^\d+ 0 obj\s+/, text)[0].length;
  const whole = () => ({ text: text.slice(begin, text.lastIndexOf('endobj')).trimEnd() });
  if (!text.startsWith('<<', begin)) return whole();
  let depth = 0;
  BRACKETS.lastIndex = begin;
  for (let found = BRACKETS.exec(text); found; found = BRACKETS.exec(text)) {
    if (found[0] === '(') BRACKETS.lastIndex = textEnd(text, found.index);
    else depth += found[0] === '<<' ? 1 : -1;
    if (depth > 0) continue;
    const close = BRACKETS.lastIndex;
    const follows = /^\s*stream\r?\n/.exec(text.slice(close, close + 16));
    if (!follows) return whole();
    const start = close + follows[0].length;
    const length = Number(expect(/\/Length (\d+)/, text.slice(begin, close))[1]);
    return { text: text.slice(begin, close), stream: bytes.subarray(start, start + length) };
  }
  return whole();
}

/** Where a text in parentheses ends, which may hold further ones. */
function textEnd(source: string, start: number): number {
  let depth = 0;
  for (let index = start; index < source.length; index++) {
    const character = source[index];
    if (character === '\\') index += 1;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (depth === 0) return index + 1;
  }
  throw new Error('a text does not end');
}

/** What an object names, and where texts begin, in which all of it is only text. */
const NAMED = /(\/ID |\/Headers \[)|\/(StructParents?) (\d+)|\b(\d+) 0 R\b|\(/g;

/** An object with other numbers. */
export function renamed(source: string, { reference: numberOf, structParent, idPrefix }: Renaming): string {
  let result = '';
  let done = 0;
  const put = (until: number, instead: string, from: number) => {
    result += source.slice(done, until) + instead;
    done = from;
  };
  NAMED.lastIndex = 0;
  for (let found = NAMED.exec(source); found; found = NAMED.exec(source)) {
    const [all, ids, key, parent, number] = found;
    const end = NAMED.lastIndex;
    if (number !== undefined) put(found.index, `${numberOf(Number(number))} 0 R`, end);
    else if (key !== undefined) put(found.index, `/${key} ${structParent(Number(parent))}`, end);
    else if (ids === undefined) NAMED.lastIndex = textEnd(source, found.index);
    else {
      put(end, '', end);
      let position = end;
      while (/[\s(]/.test(source[position] ?? '')) {
        if (source[position] === '(') {
          put(position, `(${idPrefix}`, position + 1);
          position = textEnd(source, position);
          if (all === '/ID ') break;
        } else position += 1;
      }
      NAMED.lastIndex = position;
    }
  }
  return result + source.slice(done);
}

/** A dictionary from the value of a name on. */
function valueIn(source: string, name: string): string {
  const start = source.indexOf(`/${name} `);
  return start < 0 ? '' : source.slice(start + name.length + 2);
}

/** The object that a dictionary has under a name. */
export const reference = (source: string, name: string): number =>
  Number(expect(/^\[?(\d+) 0 R/, valueIn(source, name))[1]);

/** The objects that a dictionary lists under a name. */
export const references = (source: string, name: string): number[] =>
  (expect(/^(\[[^\]]*\]|\d+ 0 R)/, valueIn(source, name))[1] as string)
    .split(' 0 R')
    .slice(0, -1)
    .map((number) => Number(number.replace(/^[\s[]+/, '')));

/** A text as a dictionary has it: in parentheses, or in hexadecimal digits. */
export function decodeText(source: string): string {
  const bytes = source.startsWith('<')
    ? Buffer.from(source.slice(1, -1), 'hex')
    : Buffer.from(source.slice(1, -1).replace(/\\(.)/gs, '$1'), 'latin1');
  return bytes.toString('utf8');
}

/** A text for a dictionary. */
export const encodeText = (text: string): string =>
  `<${Buffer.from(`\ufeff${text.toWellFormed()}`, 'utf16le').swap16().toString('hex')}>`;

export function expect(pattern: RegExp, source: string): RegExpExecArray {
  const found = pattern.exec(source);
  if (!found) throw new Error(`a file of the typesetter lacks ${pattern.source}`);
  return found;
}
