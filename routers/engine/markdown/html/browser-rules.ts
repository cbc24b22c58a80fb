/**
 * How browsers read malformed HTML: an end tag ends all elements within its own, one that ends nothing is ignored, and the parts
 * of a table end where others begin. Followed as far as documents need it; formatting is not resumed after it was cut off.
 */

import { endedByStartTag, type OpenElement, type TagRules } from './optional-tags.ts';

/** The elements of HTML. Anything else, such as `<name>` or `List<String>`, is text to its author, and would be lost as a tag. */
const ELEMENTS = new Set(
  [
    'a abbr acronym address article aside audio b bdi bdo big blockquote br button caption center cite code col colgroup data',
    'datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6',
    'header hgroup hr i iframe img input ins kbd label legend li link main map mark menu meta meter nav nobr noscript object ol',
    'optgroup option output p picture pre progress q rp rt ruby s samp script search section select small source span strike',
    'strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr',
  ].flatMap((names) => names.split(' ')),
);

/** By part of a table, the elements that it may be in. */
const PARENTS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    'td th': 'tr tbody thead tfoot table',
    tr: 'tbody thead tfoot table',
    'tbody thead tfoot caption colgroup': 'table',
    col: 'colgroup table',
  }).flatMap(([parts, parents]) => parts.split(' ').map((part) => [part, new Set(parents.split(' '))])),
);

/** Elements that nothing outside of them can end, except the parts of the table that they are in. */
const CELLS = new Set(['td', 'th', 'caption', 'table']);

/** The distance of the innermost open element of a kind from the end of the list, counted from 1; undefined if there is none in reach. */
function depthOf(
  open: readonly OpenElement[],
  isWanted: (tag: string) => boolean,
  isBoundary: (tag: string) => boolean,
): number | undefined {
  for (let depth = 1; depth <= open.length; depth += 1) {
    const tag = open.at(-depth)?.tag ?? '';
    if (isWanted(tag)) return depth;
    if (isBoundary(tag)) return undefined;
  }
  return undefined;
}

const isTable = (tag: string): boolean => tag === 'table';
const isCell = (tag: string): boolean => CELLS.has(tag);

/** The depth of the element that an end tag ends. */
const endedDepth = (open: readonly OpenElement[], name: string): number | undefined =>
  depthOf(open, (tag) => tag === name, PARENTS.has(name) ? isTable : isTable(name) ? () => false : isCell);

export const BROWSER_RULES: TagRules = {
  repairs: true,
  isElement: (name) => ELEMENTS.has(name),
  endedByStartTag(open, name) {
    const parents = PARENTS.get(name);
    const depth = parents && depthOf(open, (tag) => parents.has(tag), isTable);
    return depth === undefined ? endedByStartTag(open, name) : depth - 1;
  },
  endedByEndTag: (open, name) => (endedDepth(open, name) ?? 1) - 1,
  isLoosePart: (open, name) => PARENTS.has(name) && !open.some(({ tag }) => isTable(tag)),
  isIgnored: (open, name) => endedDepth(open, name) === undefined,
};
