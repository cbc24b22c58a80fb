import { guard } from './guard.ts';
import { always, at, becomes, later, never, replace } from './mutations.ts';

const INPUTS = 'test/superjson-input.test.ts';
const TRPC_INPUTS = 'test/server/trpc-inputs.test.ts';
const ARCHIVE = 'test/imports/archive.test.ts';
const DECODERS = 'test/growth/decoders.test.ts';
const TABLE_RULE = 'test/engine/markdown/table-rule.test.ts';
const ELSEWHERE = 'test/engine/markdown/malformed-documents.test.ts';

/** Guards that keep what is decoded from becoming larger than what was sent. */
export const DECODER_GUARDS = [
  guard('archive-checksum', 'files of an archive match their checksums', ARCHIVE),
  guard(
    'import-depth',
    'files below very many folders are not imported',
    ARCHIVE,
    at('value', becomes('() => false')),
  ),
  guard(
    'raw-table-cells',
    'a table that is kept verbatim has no more cells than its length allows',
    'test/engine/markdown/published.test.ts',
  ),
  guard('decode-caller-first', 'decoding: the caller is known before an input is read', TRPC_INPUTS, later),
  guard('decode-known-types', 'decoding: annotations of an input are of known types', [INPUTS, TRPC_INPUTS]),
  guard('decode-annotation-alone', 'decoding: annotations of an input stand by themselves', INPUTS, always),
  guard('decode-annotated-value', 'decoding: annotated values are what superjson writes', INPUTS),
  guard(
    'decode-annotation-place',
    'decoding: annotations are of places of their own',
    INPUTS,
    at('operand 3', becomes('!($(argument 2) in $(argument 1))')),
  ),
  guard('decode-long-marks', 'decoding: runs of marks are not sorted', DECODERS, never),
  guard(
    'decode-table-cells',
    'decoding: rows of a table have only the cells that are written',
    TABLE_RULE,
    at('argument 1', becomes("header.map((_, index) => $()[index] ?? '')")),
  ),
  guard(
    'decode-table-written-cells',
    'decoding: rows of a table are written without the cells that they lack',
    TABLE_RULE,
    at('argument 2'),
  ),
  guard(
    'decode-empty-cells',
    'decoding: empty cells are counted over all tables of a document',
    ELSEWHERE,
    replace({ '+=': '=' }),
  ),
  guard('decode-table-columns', 'decoding: values of other columns fill no cells', ELSEWHERE, at('object')),
  guard('decode-cell-alignment', 'decoding: an alignment of cells is short', ELSEWHERE),
];
