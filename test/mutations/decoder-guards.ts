import type { Guard } from './guards.ts';

const INPUTS = 'test/superjson-input.test.ts';
const TRPC_INPUTS = 'test/server/trpc-inputs.test.ts';
const DECODERS = 'test/growth/decoders.test.ts';
const TABLE_RULE = 'test/engine/markdown/table-rule.test.ts';
const ELSEWHERE = 'test/engine/markdown/elsewhere.test.ts';

/** Guards that keep what is decoded from becoming larger than what was sent. */
export const DECODER_GUARDS: Guard[] = [
  {
    name: 'decoding: the caller is known before an input is read',
    file: 'routers/base/trpc.ts',
    find: `    const caller = await identify(ctx, type);
    const problem = inputProblem(await getRawInput());`,
    replace: `    const problem = inputProblem(await getRawInput());
    const caller = await identify(ctx, type);`,
    tests: [TRPC_INPUTS],
  },
  {
    name: 'decoding: annotations of an input are of known types',
    file: 'routers/base/superjson-input.ts',
    find: "if (!type) throw invalid(path, 'must be a value of JSON, a Date or undefined');",
    replace: 'if (!type) return json;',
    tests: [INPUTS, TRPC_INPUTS],
  },
  {
    name: 'decoding: annotations of an input stand by themselves',
    file: 'routers/base/superjson-input.ts',
    find: 'inside.length === 0 ? TYPES.get(name) : undefined',
    replace: 'TYPES.get(name)',
    tests: [INPUTS],
  },
  {
    name: 'decoding: annotated values are what superjson writes',
    file: 'routers/base/superjson-input.ts',
    find: 'if (!type.written(json)) throw',
    replace: 'if (false) throw',
    tests: [INPUTS],
  },
  {
    name: 'decoding: annotations are of places of their own',
    file: 'routers/base/superjson-input.ts',
    find: '!Object.hasOwn(parent, key)',
    replace: '!(key in parent)',
    tests: [INPUTS],
  },
  {
    name: 'decoding: runs of marks are not sorted',
    file: 'routers/engine/nfc.ts',
    find: 'LONG_RUN.test(text) ? text : text',
    replace: 'text',
    tests: [DECODERS],
  },
  {
    name: 'decoding: rows of a table have only the cells that are written',
    file: 'routers/engine/markdown/tables/table-rule.ts',
    find: 'rows.push([only, ...others]);',
    replace: "rows.push(header.map((_, index) => [only, ...others][index] ?? ''));",
    tests: [TABLE_RULE],
  },
  {
    name: 'decoding: rows of a table are written without the cells that they lack',
    file: 'routers/engine/markdown/tables/table-style.ts',
    find: '.slice(0, last + 1)',
    replace: '.slice(0)',
    tests: [TABLE_RULE],
  },
  {
    name: 'decoding: empty cells are counted over all tables of a document',
    file: 'routers/engine/document/document.ts',
    find: 'emptyCells += countEmptyCells(table)',
    replace: 'emptyCells = countEmptyCells(table)',
    tests: [ELSEWHERE],
  },
  {
    name: 'decoding: values of other columns fill no cells',
    file: 'routers/engine/document/table-data.ts',
    find: '.filter((column) => Object.hasOwn(definition, column))',
    replace: '',
    tests: [ELSEWHERE],
  },
  {
    name: 'decoding: an alignment of cells is short',
    file: 'routers/engine/document/table-data.ts',
    find: '          .max(MAX_ALIGNMENT)\n',
    replace: '',
    tests: [ELSEWHERE],
  },
];
