/** Reading Rison, JSON that is written compactly for URLs: `(isPro:!t,plan:'free trial',roles:!(a,b))`. */

const MAX_DEPTH = 32;

/** What stands for a value by itself, with the arguments of an array opened by `!(`. */
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['t', true],
  ['f', false],
  ['n', null],
]);

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e-?\d+)?$/;
const ENDS = new Set(["'", '!', ':', '(', ')', ',', '*', '@', '$', ' ']);

class NotRison extends Error {}

/** The value of a text; undefined where it is not Rison. */
export function readRison(text: string): unknown {
  const reader = new Reader(text);
  try {
    const value = reader.value(0);
    return reader.isAtEnd ? value : undefined;
  } catch (error) {
    if (error instanceof NotRison) return undefined;
    throw error;
  }
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw new NotRison();
    if (this.#skip('(')) return Object.fromEntries(this.#items(() => this.#entry(depth)));
    if (this.#skip("'")) return this.#quoted();
    if (!this.#skip('!')) return this.#bare();
    if (this.#skip('(')) return this.#items(() => this.value(depth + 1));
    const word = this.#text.charAt(this.#at++);
    if (!WORDS.has(word)) throw new NotRison();
    return WORDS.get(word);
  }

  #entry(depth: number): [string, unknown] {
    const key = this.#skip("'") ? this.#quoted() : String(this.#bare());
    if (!this.#skip(':')) throw new NotRison();
    return [key, this.value(depth + 1)];
  }

  /** What stands between commas, up to the closing parenthesis. */
  #items<Item>(read: () => Item): Item[] {
    const items: Item[] = [];
    if (this.#skip(')')) return items;
    do items.push(read());
    while (this.#skip(','));
    if (!this.#skip(')')) throw new NotRison();
    return items;
  }

  #quoted(): string {
    let result = '';
    while (!this.isAtEnd) {
      const next = this.#text.charAt(this.#at++);
      if (next === "'") return result;
      result += next === '!' ? this.#text.charAt(this.#at++) : next;
    }
    throw new NotRison();
  }

  #bare(): string | number {
    const start = this.#at;
    while (!this.isAtEnd && !ENDS.has(this.#text.charAt(this.#at))) this.#at++;
    const word = this.#text.slice(start, this.#at);
    if (word === '') throw new NotRison();
    return NUMBER.test(word) ? Number(word) : word;
  }

  #skip(character: string): boolean {
    const isThere = this.#text.charAt(this.#at) === character;
    if (isThere) this.#at++;
    return isThere;
  }
}
