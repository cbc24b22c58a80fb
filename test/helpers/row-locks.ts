/** The strength of a row lock: against deletion, changes, or both and references to the rows. */
type Strength = 'key share' | 'share' | 'no key update' | 'update';

/** A transaction's lock on rows of a table, or on what an advisory lock represents. */
export interface RowLock {
  table: string;
  strength: Strength;
  /** Whether it waits for the locks of other transactions. */
  waits: boolean;
}

/** The table that the only transaction-level advisory locks represent. */
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

/** The row locks that a statement takes, by table. */
export function locksOf(statement: string): RowLock[] {
  // Quoted values may contain any text.
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

/** The rows that a statement inserts, each as its table and id, for tables whose first column is the id. */
export function rowsInsertedBy(statement: string, parameters: readonly unknown[]): string[] {
  const [, table, values = ''] = INSERT.exec(oneLine(statement)) ?? [];
  return [...values.matchAll(FIRST_VALUES)].map(([, id = '']) => `${table} ${operand(parameters, id)}`);
}

/** The rows that a statement updates, if it selects them by their ids alone; otherwise undefined. */
export function rowsUpdatedBy(statement: string, parameters: readonly unknown[]): string[] | undefined {
  const [, table, ids] = UPDATE.exec(oneLine(statement)) ?? [];
  return ids?.split(/, ?/).map((id) => `${table} ${operand(parameters, id)}`);
}

const oneLine = (statement: string) => statement.replace(/\s+/g, ' ').trim();

const FROM =
  /\b(?:from|join) (?:only )?"?(\w+)"?(?: as "?(\w+)"?| (?!(?:inner|left|right|join|on|where|order|for|using|cross)\b)"?(\w+)"?)?/g;

/** The tables of the query that ends at an offset, without those of its subqueries, by alias or name. */
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
