/**
 * Parses the XML of SAML messages in one pass: well-formed XML 1.0 with namespaces, but without document types, comments,
 * processing instructions and CDATA sections, which parsers are known to treat differently.
 */

/** An error in an XML text; the message completes a sentence that starts with "it". */
export class XmlError extends Error {}

export interface XmlElement {
  /** The local name. */
  name: string;
  /** Empty if there is none. */
  namespace: string;
  /** The attributes, without namespace declarations. */
  attributes: XmlAttribute[];
  children: XmlElement[];
  /** The text directly in it. */
  text: string;
}

interface XmlAttribute {
  name: string;
  namespace: string;
  value: string;
}

/** Real messages have 30 to 300 elements, in at most 8 levels. */
const MAX_ELEMENTS = 2000;
const MAX_DEPTH = 32;
/** Includes namespace declarations, which some providers repeat on each value. */
const MAX_ATTRIBUTES = 6000;
const MAX_ELEMENT_ATTRIBUTES = 50;

const DECLARATION =
  /<\?xml[ \t\r\n]+version=(?:"1\.0"|'1\.0')(?:[ \t\r\n]+encoding=(?:"utf-8"|'utf-8'))?(?:[ \t\r\n]+standalone=(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>/iy;
const SPACE = /[ \t\r\n]*/y;
const NAME = /[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?/y;
const EQUALS = /[ \t\r\n]*=[ \t\r\n]*/y;
const INVALID_CHARACTER = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));|&/g;
const NAMED_ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';
const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/';

/** Namespaces by prefix, with those of the parent elements. */
interface Scope {
  declared: ReadonlyMap<string, string>;
  above?: Scope | undefined;
}

const ROOT_SCOPE: Scope = { declared: new Map([['xml', XML_NAMESPACE]]) };

/** An element whose end tag has not been parsed yet. */
interface OpenElement {
  element: XmlElement;
  /** The qualified name as written. */
  written: string;
  scope: Scope;
}

/** @throws XmlError if the text is invalid, uses unsupported features, or is larger than any real message */
export function parseXml(text: string): XmlElement {
  if (INVALID_CHARACTER.test(text)) throw new XmlError('contains a character that XML does not allow');
  return new XmlParser(text.replace(/\r\n?/g, '\n')).read();
}

class XmlParser {
  readonly #text: string;
  #at = 0;
  #elements = 0;
  #attributes = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): XmlElement {
    this.#take(DECLARATION);
    this.#take(SPACE);
    const open: OpenElement[] = [];
    let root: XmlElement | undefined;
    while (root === undefined || open.length > 0) {
      const inner = open.at(-1);
      if (inner) this.#readText(inner.element);
      if (this.#text.startsWith('</', this.#at)) {
        this.#readEnd(open.pop());
        continue;
      }
      const started = this.#readStart(inner?.scope ?? ROOT_SCOPE);
      inner?.element.children.push(started.element);
      root ??= started.element;
      if (!started.isEmpty) open.push(started);
      // guard: saml-xml-depth
      if (open.length > MAX_DEPTH) throw new XmlError(`is nested more than ${MAX_DEPTH} levels deep`);
    }
    this.#take(SPACE);
    if (this.#at < this.#text.length) throw this.#unexpected();
    return root;
  }

  #readText(element: XmlElement): void {
    const end = this.#text.indexOf('<', this.#at);
    if (end < 0) throw new XmlError('ends within an element');
    const text = this.#text.slice(this.#at, end);
    if (text.includes(']]>')) throw new XmlError('is not well-formed');
    element.text += decode(text);
    this.#at = end;
  }

  #readEnd(open: OpenElement | undefined): void {
    this.#at += '</'.length;
    if (this.#take(NAME) !== open?.written || open === undefined) throw this.#unexpected();
    this.#take(SPACE);
    this.#expect('>');
  }

  #readStart(above: Scope): OpenElement & { isEmpty: boolean } {
    const begin = this.#at;
    this.#expect('<');
    const written = this.#take(NAME);
    if (!written) throw this.#unexpected(begin);
    // guard: saml-xml-elements
    if (++this.#elements > MAX_ELEMENTS) throw new XmlError(`has more than ${MAX_ELEMENTS} elements`);
    const declared = new Map<string, string>();
    const given: [name: string, value: string][] = [];
    while (this.#take(SPACE) !== '') {
      const name = this.#take(NAME);
      if (!name) break;
      if (!this.#take(EQUALS)) throw this.#unexpected();
      const value = this.#readValue();
      if (name === 'xmlns') declareNamespace(declared, '', value);
      else if (name.startsWith('xmlns:')) declareNamespace(declared, name.slice('xmlns:'.length), value);
      else given.push([name, value]);
    }
    const isEmpty = this.#text.startsWith('/', this.#at);
    if (isEmpty) this.#at++;
    this.#expect('>');
    this.#attributes += given.length + declared.size;
    if (given.length > MAX_ELEMENT_ATTRIBUTES)
      throw new XmlError(`has an element with more than ${MAX_ELEMENT_ATTRIBUTES} attributes`);
    if (this.#attributes > MAX_ATTRIBUTES) throw new XmlError(`has more than ${MAX_ATTRIBUTES} attributes`);
    const scope = declared.size > 0 ? { declared, above } : above;
    const element = {
      ...resolveName(scope, written, true),
      attributes: resolveAttributes(scope, given),
      children: [],
      text: '',
    };
    return { element, written, scope, isEmpty };
  }

  #readValue(): string {
    const quote = this.#text[this.#at];
    if (quote !== '"' && quote !== "'") throw this.#unexpected();
    const end = this.#text.indexOf(quote, this.#at + 1);
    if (end < 0) throw new XmlError('ends within an attribute');
    const value = this.#text.slice(this.#at + 1, end);
    if (value.includes('<')) throw new XmlError('is not well-formed');
    this.#at = end + 1;
    // White space is normalized to spaces, unless it is written as character references.
    return decode(value.replace(/[\t\n\r]/g, ' '));
  }

  /** Consumes and returns what a pattern matches at the current position; undefined if it does not match. */
  #take(expression: RegExp): string | undefined {
    expression.lastIndex = this.#at;
    const [taken] = expression.exec(this.#text) ?? [];
    this.#at += taken?.length ?? 0;
    return taken;
  }

  #expect(character: string): void {
    if (this.#text[this.#at] !== character) throw this.#unexpected();
    this.#at++;
  }

  #unexpected(at = this.#at): XmlError {
    const rest = this.#text.slice(at, at + '<!--'.length);
    if (rest.startsWith('<!--')) return new XmlError('contains a comment');
    if (rest.startsWith('<![')) return new XmlError('contains a CDATA section');
    if (rest.startsWith('<!')) return new XmlError('contains a document type');
    if (rest.startsWith('<?')) return new XmlError('contains a processing instruction');
    return new XmlError('is not well-formed');
  }
}

function decode(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (_written, name?: string, decimal?: string, hexadecimal?: string) => {
    if (name !== undefined) return NAMED_ENTITIES[name] as string;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    const character = code <= 0x10ffff ? String.fromCodePoint(code) : '';
    if (!character || INVALID_CHARACTER.test(character))
      throw new XmlError('refers to an unknown entity or an invalid character');
    return character;
  });
}

function declareNamespace(declared: Map<string, string>, prefix: string, namespace: string): void {
  const isReserved =
    prefix === 'xmlns' ||
    (prefix === 'xml') !== (namespace === XML_NAMESPACE) ||
    namespace === XMLNS_NAMESPACE;
  if (declared.has(prefix) || isReserved || (namespace === '' && prefix !== ''))
    throw new XmlError('declares a namespace incorrectly');
  declared.set(prefix, namespace);
}

function resolveName(scope: Scope, written: string, isElement: boolean): { name: string; namespace: string } {
  const colon = written.indexOf(':');
  const prefix = written.slice(0, Math.max(colon, 0));
  const name = written.slice(colon + 1);
  // Attributes without a prefix have no namespace.
  if (prefix === '' && !isElement) return { name, namespace: '' };
  for (let inner: Scope | undefined = scope; inner; inner = inner.above) {
    const namespace = inner.declared.get(prefix);
    if (namespace !== undefined) return { name, namespace };
  }
  if (prefix !== '') throw new XmlError('uses an undeclared namespace');
  return { name, namespace: '' };
}

function resolveAttributes(scope: Scope, given: readonly [name: string, value: string][]): XmlAttribute[] {
  const names = new Set<string>();
  return given.map(([written, value]) => {
    const { name, namespace } = resolveName(scope, written, false);
    const key = `${name} ${namespace}`;
    if (names.has(key)) throw new XmlError('has a duplicate attribute');
    names.add(key);
    return { name, namespace, value };
  });
}

/** The value of an attribute without a namespace. */
export const attributeOf = (element: XmlElement, name: string): string | undefined =>
  element.attributes.find((attribute) => attribute.name === name && attribute.namespace === '')?.value;

/** The direct children with a name. */
export const childrenOf = (element: XmlElement, namespace: string, name: string): XmlElement[] =>
  element.children.filter((child) => child.name === name && child.namespace === namespace);

/** Iterates over an element and all its descendants. */
export function* elementsOf(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* elementsOf(child);
}
