/** A parser for Rison, a compact form of JSON for URLs: `(isPro:!t,plan:'free trial',roles:!(a,b))`. */

const MAX_DEPTH = 32;

/** The literals, which follow `!`; `!(` begins an array. */
const LITERALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['t', true],
  ['f', false],
  ['n', null],
]);

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e-?\d+)?$/;
const DELIMITERS = new Set(["'", '!', ':', '(', ')', ',', '*', '@', '$', ' ']);

class RisonSyntaxError extends Error {}

/** Parses a text; undefined if it is not Rison. */
export function parseRison(text: string): unknown {
  const parser = new Parser(text);
  try {
    const value = parser.value(0);
    return parser.isAtEnd ? value : undefined;
  } catch (error) {
    if (error instanceof RisonSyntaxError) return undefined;
    throw error;
  }
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw new RisonSyntaxError();
    if (this.#skip('(')) return Object.fromEntries(this.#items(() => this.#entry(depth)));
    if (this.#skip("'")) return this.#quoted();
    if (!this.#skip('!')) return this.#bare();
    if (this.#skip('(')) return this.#items(() => this.value(depth + 1));
    const word = this.#text.charAt(this.#at++);
    if (!LITERALS.has(word)) throw new RisonSyntaxError();
    return LITERALS.get(word);
  }

  #entry(depth: number): [string, unknown] {
    const key = this.#skip("'") ? this.#quoted() : String(this.#bare());
    if (!this.#skip(':')) throw new RisonSyntaxError();
    return [key, this.value(depth + 1)];
  }

  /** Items separated by commas, up to the closing parenthesis. */
  #items<Item>(read: () => Item): Item[] {
    const items: Item[] = [];
    if (this.#skip(')')) return items;
    do items.push(read());
    while (this.#skip(','));
    if (!this.#skip(')')) throw new RisonSyntaxError();
    return items;
  }

  #quoted(): string {
    let result = '';
    while (!this.isAtEnd) {
      const next = this.#text.charAt(this.#at++);
      if (next === "'") return result;
      result += next === '!' ? this.#text.charAt(this.#at++) : next;
    }
    throw new RisonSyntaxError();
  }

  #bare(): string | number {
    const start = this.#at;
    while (!this.isAtEnd && !DELIMITERS.has(this.#text.charAt(this.#at))) this.#at++;
    const word = this.#text.slice(start, this.#at);
    if (word === '') throw new RisonSyntaxError();
    return NUMBER.test(word) ? Number(word) : word;
  }

  #skip(character: string): boolean {
    const isThere = this.#text.charAt(this.#at) === character;
    if (isThere) this.#at++;
    return isThere;
  }
}
