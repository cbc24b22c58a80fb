/** Reads PDFs of the typesetter: PDF 1.7 with a cross-reference table and one revision, unencrypted. */

/** An object of a PDF: its text, and its bytes if it is a stream. */
interface PdfObject {
  /** As Latin-1, up to the keyword `stream` or to its end. */
  text: string;
  stream?: Buffer;
}

/** How references in an object are replaced. */
export interface Renumbering {
  /** The new number of an object. */
  reference(number: number): number;
  /** The new key of a page or a link in the parent tree. */
  structParent(key: number): number;
  /** The prefix for the ids of structure elements. */
  idPrefix: string;
}

export interface PdfFile {
  /** One more than the highest object number. */
  size: number;
  catalog: string;
  trailer: string;
  /** The object number of the page tree, and (`pages`) those of the pages in order. */
  pageTree: number;
  pages: number[];
  object(number: number): PdfObject;
}

/** @throws if the file is not in the form that the typesetter writes */
export function openPdf(bytes: Buffer): PdfFile {
  const table = Number(
    matchOrThrow(/startxref\s+(\d+)\s+%%EOF\s*$/, bytes.toString('latin1', bytes.length - 64))[1],
  );
  const end = bytes.toString('latin1', table);
  const [head = '', size] = matchOrThrow(/^xref\s+0 (\d+)\s+/, end);
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

/** Delimiters of dictionaries and strings. The keyword `stream` follows the last one, but may also occur in strings. */
const DELIMITERS = /\(|<<|>>/g;

function readObject(bytes: Buffer): PdfObject {
  const text = bytes.toString('latin1');
  const begin = matchOrThrow(/^\d+ 0 obj\s+/, text)[0].length;
  const whole = () => ({ text: text.slice(begin, text.lastIndexOf('endobj')).trimEnd() });
  if (!text.startsWith('<<', begin)) return whole();
  let depth = 0;
  DELIMITERS.lastIndex = begin;
  for (let found = DELIMITERS.exec(text); found; found = DELIMITERS.exec(text)) {
    if (found[0] === '(') DELIMITERS.lastIndex = stringEnd(text, found.index);
    else depth += found[0] === '<<' ? 1 : -1;
    if (depth > 0) continue;
    const close = DELIMITERS.lastIndex;
    const follows = /^\s*stream\r?\n/.exec(text.slice(close, close + 16));
    if (!follows) return whole();
    const start = close + follows[0].length;
    const length = Number(matchOrThrow(/\/Length (\d+)/, text.slice(begin, close))[1]);
    return { text: text.slice(begin, close), stream: bytes.subarray(start, start + length) };
  }
  return whole();
}

/** The end of a string in parentheses, which may be nested. */
function stringEnd(source: string, start: number): number {
  let depth = 0;
  for (let index = start; index < source.length; index++) {
    const character = source[index];
    if (character === '\\') index += 1;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (depth === 0) return index + 1;
  }
  throw new Error('a string does not end');
}

/** References in an object, and the beginnings of strings, which contain none. */
const REFERENCES = /(\/ID |\/Headers \[)|\/(StructParents?) (\d+)|\b(\d+) 0 R\b|\(/g;

/** The text of an object with its references replaced. */
export function renumber(
  source: string,
  { reference: numberOf, structParent, idPrefix }: Renumbering,
): string {
  let result = '';
  let done = 0;
  const replace = (until: number, instead: string, from: number) => {
    result += source.slice(done, until) + instead;
    done = from;
  };
  REFERENCES.lastIndex = 0;
  for (let found = REFERENCES.exec(source); found; found = REFERENCES.exec(source)) {
    const [all, ids, key, parent, number] = found;
    const end = REFERENCES.lastIndex;
    if (number !== undefined) replace(found.index, `${numberOf(Number(number))} 0 R`, end);
    else if (key !== undefined) replace(found.index, `/${key} ${structParent(Number(parent))}`, end);
    else if (ids === undefined) REFERENCES.lastIndex = stringEnd(source, found.index);
    else {
      replace(end, '', end);
      let position = end;
      while (/[\s(]/.test(source[position] ?? '')) {
        if (source[position] === '(') {
          replace(position, `(${idPrefix}`, position + 1);
          position = stringEnd(source, position);
          if (all === '/ID ') break;
        } else position += 1;
      }
      REFERENCES.lastIndex = position;
    }
  }
  return result + source.slice(done);
}

/** The rest of a dictionary, from the value of a name on. */
function valueIn(source: string, name: string): string {
  const start = source.indexOf(`/${name} `);
  return start < 0 ? '' : source.slice(start + name.length + 2);
}

/** The number of the object that a dictionary refers to under a name. */
export const reference = (source: string, name: string): number =>
  Number(matchOrThrow(/^\[?(\d+) 0 R/, valueIn(source, name))[1]);

/** The numbers of the objects that a dictionary lists under a name. */
export const references = (source: string, name: string): number[] =>
  (matchOrThrow(/^(\[[^\]]*\]|\d+ 0 R)/, valueIn(source, name))[1] as string)
    .split(' 0 R')
    .slice(0, -1)
    .map((number) => Number(number.replace(/^[\s[]+/, '')));

/** Decodes a string of a dictionary: in parentheses, or hexadecimal. */
export function decodeText(source: string): string {
  const bytes = source.startsWith('<')
    ? Buffer.from(source.slice(1, -1), 'hex')
    : Buffer.from(source.slice(1, -1).replace(/\\(.)/gs, '$1'), 'latin1');
  return bytes.toString('utf8');
}

/** Encodes a string for a dictionary. */
export const encodeText = (text: string): string =>
  `<${Buffer.from(`\ufeff${text.toWellFormed()}`, 'utf16le').swap16().toString('hex')}>`;

export function matchOrThrow(pattern: RegExp, source: string): RegExpExecArray {
  const found = pattern.exec(source);
  if (!found) throw new Error(`a file of the typesetter lacks ${pattern.source}`);
  return found;
}
