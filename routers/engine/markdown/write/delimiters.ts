import type { Inline, Mark } from '../../document/document.ts';
import { colorTag } from '../html/colors.ts';
import { sameMark } from '../nodes.ts';
import { canOpenBetween, firstChar, lastChar } from '../parse/flanking.ts';
import { classOf } from '../parse/parser.ts';

/** A run of text to escape, or of finished Markdown, with the marks around it from the outside in. */
export type Piece = TextPiece | { kind: 'raw'; text: string; marks: readonly Mark[]; node?: Inline };

/** `breaks` is what each line end in the text is written as. */
export type TextPiece = { kind: 'text'; text: string; marks: readonly Mark[]; breaks: readonly string[] };

/** The delimiters and tags that marks may be written with, the usual one first. Others have one tag alone. */
const SYNTAXES: ReadonlyMap<string, readonly string[]> = new Map([
  ['bold', ['**', '__', 'strong', 'b']],
  ['italic', ['_', '*', 'em', 'i']],
  ['strikethrough', ['~~', 'del', 's']],
  ['code', ['code']],
]);

/** The delimiter or the name of the tag of a mark: as it was written, if it can be written so. */
function syntaxOf({ type, data }: Mark): string | undefined {
  const known = SYNTAXES.get(type);
  return known?.find((syntax) => syntax === data?.syntax) ?? known?.[0];
}

/** Whether a mark is written with delimiters, which cannot stand next to blanks inside. */
function isDelimited(mark: Mark): boolean {
  const syntax = syntaxOf(mark);
  return syntax !== undefined && !/^[a-z]+$/.test(syntax);
}

/** A blank that stays within emphasis. */
export const BLANK = '&#x20;';

/** Moves blanks at the edge of emphasis out of it, where Markdown can write them, unless they were written as entities. */
export function hoistBlanks(pieces: Piece[], spelling: Record<string, string> | undefined): Piece[] {
  const result: Piece[] = [];
  pieces.forEach((piece, index) => {
    if (piece.kind === 'raw' || piece.marks.length === 0) {
      result.push(piece);
      return;
    }
    const before = shared(piece.marks, pieces[index - 1]?.marks);
    const after = shared(piece.marks, pieces[index + 1]?.marks);
    const canLead = piece.marks.slice(before).every(isDelimited);
    const canTrail = piece.marks.slice(after).every(isDelimited);
    const lead = canLead && before < piece.marks.length ? (/^[ \t\n]+/.exec(piece.text)?.[0] ?? '') : '';
    const rest = piece.text.slice(lead.length);
    const core = canTrail && after < piece.marks.length ? rest.replace(/(?<![ \t\n])[ \t\n]+$/, '') : rest;
    const trail = rest.slice(core.length);
    let taken = 0;
    const add = (text: string, marks: readonly Mark[]) => {
      if (text === '') return;
      const breaks = piece.breaks.slice(taken, taken + text.split('\n').length - 1);
      taken += breaks.length;
      result.push({ kind: 'text', text, marks, breaks });
    };
    if (spelling?.[' '] === BLANK && !lead.includes('\n') && !trail.includes('\n')) {
      const kept = piece.text.slice(lead === '' ? 0 : 1, trail === '' ? undefined : -1);
      const addEntity = (blank: string) => {
        if (blank !== '')
          result.push({ kind: 'raw', text: blank === '\t' ? '&#x9;' : BLANK, marks: piece.marks });
      };
      addEntity(lead.slice(0, 1));
      add(kept, piece.marks);
      addEntity(trail.slice(-1));
      return;
    }
    add(lead, piece.marks.slice(0, before));
    add(core, piece.marks);
    add(trail, piece.marks.slice(0, after));
  });
  return result;
}

/** How many marks two pieces share from the outside in. */
export function shared(marks: readonly Mark[], other: readonly Mark[] | undefined): number {
  let count = 0;
  while (other && count < marks.length && marks[count] && sameMark(marks[count] as Mark, other[count]))
    count += 1;
  return count;
}

/** The first character that will follow a piece; undefined at the end. */
export function nextChar(
  pieces: readonly Piece[],
  index: number,
  open: readonly Mark[],
  closings: readonly string[],
): string | undefined {
  const next = pieces[index + 1];
  const keep = next ? shared(next.marks, open) : 0;
  if (open.length > keep) return closings.at(-1)?.[0];
  if (!next) return undefined;
  const opening = next.marks[keep];
  if (opening) return delimiterChar(opening);
  return next.text[0];
}

function delimiterChar(mark: Mark): string {
  return isDelimited(mark) ? (syntaxOf(mark)?.charAt(0) ?? '') : '<';
}

const TAGS: Record<string, string> = { keyboard: 'kbd', superscript: 'sup', subscript: 'sub' };
const TAG_NAMES: Record<string, string> = { bold: 'strong', italic: 'em', strikethrough: 'del' };

/** Where a mark is about to open. */
export type DelimiterPlace = {
  pieces: readonly Piece[];
  index: number;
  /** How many marks are open around it. */
  depth: number;
  /** The character before it, undefined at the beginning. */
  before: string | undefined;
  /** The end of a mark directly before it. */
  closed: string | undefined;
  spelling: Record<string, string> | undefined;
};

/** How a mark is opened and closed here: by its delimiter where that can be read, else by a tag. */
export function delimitersOf(mark: Mark, place: DelimiterPlace): [string, string] {
  if (mark.type === 'color') {
    const tag = colorTag(mark);
    return tag ? [tag, '</mark>'] : ['', ''];
  }
  const tag = TAGS[mark.type];
  if (tag) return [`<${tag}>`, `</${tag}>`];
  const syntax = syntaxOf(mark) ?? '';
  if (/^[a-z]+$/.test(syntax)) return [`<${syntax}>`, `</${syntax}>`];
  const alternatives = mark.type === 'italic' && syntax === '_' ? ['_', '*'] : [syntax];
  for (const delimiter of alternatives) {
    if (canDelimit(delimiter, place)) return [delimiter, delimiter];
  }
  const name = TAG_NAMES[mark.type] ?? '';
  return [`<${name}>`, `</${name}>`];
}

/** Whether a delimiter put here opens, and closes after the last piece that has the mark at this depth. */
function canDelimit(delimiter: string, place: DelimiterPlace): boolean {
  const { pieces, index, depth, before: previous } = place;
  const marks = pieces[index]?.marks ?? [];
  let last = index;
  while (shared(pieces[last + 1]?.marks ?? [], marks) > depth) last += 1;
  const inner = marks[depth + 1];
  const spelling = place.spelling ?? {};
  const firstInside = firstChar(pieces[index]?.text ?? '');
  const first = inner ? delimiterChar(inner) : (spelling[firstInside ?? '']?.[0] ?? firstInside);
  const lastInner = pieces[last]?.marks[depth + 1];
  const lastInside = lastChar(pieces[last]?.text ?? '');
  const end = lastInner ? delimiterChar(lastInner) : (spelling[lastInside ?? '']?.at(-1) ?? lastInside);
  const follower = pieces[last + 1];
  const opening = follower?.marks[shared(follower.marks, marks)];
  const outerClose = depth > 0 && shared(follower?.marks ?? [], marks) < depth ? marks[depth - 1] : undefined;
  const adjacent = opening ? delimiterChar(opening) : follower?.kind === 'raw' ? follower.text[0] : undefined;
  const following = outerClose ? delimiterChar(outerClose) : (adjacent ?? firstChar(follower?.text ?? ''));
  const char = delimiter.charAt(0);
  // Next to the end of another mark or the beginning of one, delimiters of the same character would run together.
  if (place.closed?.endsWith(char) || (adjacent === char && !outerClose)) return false;
  const before = classOf(previous, char);
  const after = classOf(following, char);
  if (!canOpenBetween(before, classOf(first, char)) || !canOpenBetween(after, classOf(end, char)))
    return false;
  if (char !== '_') return true;
  return before !== 'other' && after !== 'other';
}
