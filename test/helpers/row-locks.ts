/** How strongly a statement locks rows: against deletion, changes, or both and whatever refers to them. */
type Strength = 'key share' | 'share' | 'no key update' | 'update';

/** A lock of a transaction on rows of a table, or on what an advisory lock stands for. */
export interface RowLock {
  table: string;
  strength: Strength;
  /** Whether it waits for those that others hold. */
  waits: boolean;
}

/** What the only advisory locks of transactions are on. */
const ADVISORY = 'hostname';

const LOCKING = new RegExp(
  [
    '(?<!\\bfor |\\bkey |\\bdo )\\bupdate (?:only )?"?(?<updated>\\w+)"?',
    '\\bdelete from "?(?<deleted>\\w+)"?',
    '\\binsert into "?(?<filled>\\w+)"?(?:(?!\\binsert into\\b).)*?\\bdo update\\b',
    '\\bfor (?<strength>no key update|key share|update|share)\\b(?: of "?(?<of>\\w+)"?)?',
    '(?<advisory>pg_advisory_xact_lock)',
  ].join('|'),
  'g',
);

/** The rows that a statement locks, by the tables that it names. */
export function locksOf(statement: string): RowLock[] {
  // What is quoted may be the text of anybody.
  const text = oneLine(statement)
    .replace(/'(?:[^']|'')*'/g, "''")
    .toLowerCase();
  const waits = !text.includes('skip locked');
  return [...text.matchAll(LOCKING)].flatMap(({ groups = {}, index }) => {
    const { updated, deleted, filled, strength, of } = groups;
    if (strength) {
      const tables = tablesBefore(text, index);
      const locked = of === undefined ? tables.values() : [tables.get(of) ?? of];
      return [...new Set(locked)].map((table) => ({ table, strength: strength as Strength, waits }));
    }
    const changed = updated ?? filled;
    if (changed) return [{ table: changed, strength: 'no key update', waits }];
    return [{ table: deleted ?? ADVISORY, strength: 'update', waits }];
  });
}

const ID = String.raw`('[\w-]+'|\$\d+)`;
const INSERT = new RegExp(String.raw`^insert into "?(\w+)"? \("?id"?[,)].*? values (\(${ID}.*)$`, 'i');
const FIRST_VALUES = new RegExp(String.raw`\(${ID}[,)]`, 'g');
const UPDATE = new RegExp(
  String.raw`^update "?(\w+)"? .* where "?id"? (?:= |in \()(${ID}(?:, ?${ID})*)\)?$`,
  'i',
);

const operand = (parameters: readonly unknown[], text: string) =>
  text.startsWith('$') ? parameters[Number(text.slice(1)) - 1] : text.slice(1, -1);

/** The rows that a statement adds, each as its table and id; of tables whose first column is the id. */
export function rowsInsertedBy(statement: string, parameters: readonly unknown[]): string[] {
  const [, table, values = ''] = INSERT.exec(oneLine(statement)) ?? [];
  return [...values.matchAll(FIRST_VALUES)].map(([, id = '']) => `${table} ${operand(parameters, id)}`);
}

/** The rows that a statement changes, if it names them by their ids alone; otherwise undefined. */
export function rowsUpdatedBy(statement: string, parameters: readonly unknown[]): string[] | undefined {
  const [, table, ids] = UPDATE.exec(oneLine(statement)) ?? [];
  return ids?.split(/, ?/).map((id) => `${table} ${operand(parameters, id)}`);
}

const oneLine = (statement: string) => statement.replace(/\s+/g, ' ').trim();

const FROM =
  /\b(?:from|join) (?:only )?"?(\w+)"?(?: as "?(\w+)"?| (?!(?:inner|left|right|join|on|where|order|for|using|cross)\b)"?(\w+)"?)?/g;

/** The tables of the query that ends at a place, without those of its subqueries, by their names and aliases. */
function tablesBefore(text: string, end: number): Map<string, string> {
  let outer = '';
  for (let at = end - 1, depth = 0; at >= 0 && depth >= 0; at--) {
    const character = text.charAt(at);
    if (character === ')') depth++;
    else if (character === '(') depth--;
    else if (depth === 0) outer = character + outer;
  }
  const query = outer.slice(outer.lastIndexOf('select '));
  const tables = new Map<string, string>();
  for (const [, table = '', alias, bare] of query.matchAll(FROM)) tables.set(alias ?? bare ?? table, table);
  return tables;
}
