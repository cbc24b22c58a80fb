/** Tags that authors wrote to name something, such as `<your-token>` or the `<body>` element: browsers would hide them. */

import type { StateInline } from 'markdown-it';

/** Elements whose start tags are never a name: they have no end, need none, or mark text, where an author may have forgotten it. */
const MARKUP = new Set(
  (
    'a abbr audio b bdi bdo big blockquote br center cite code col dd del details dfn div dl dt em embed figcaption figure font ' +
    'h1 h2 h3 h4 h5 h6 hr i iframe img input ins kbd li mark nobr ol p picture pre q rp rt ruby s samp small source span strike ' +
    'strong sub summary sup svg table tbody td tfoot th thead tr track tt u ul var video wbr'
  ).split(' '),
);

/** A start tag without values, and without the slash of an empty element. */
const START_TAG = /<([A-Za-z][\w-]*)(?:[ \t]+[A-Za-z][\w-]*)*[ \t]*>/y;
const END_TAGS = /<\/([A-Za-z][\w-]*)/g;

/** The names in the end tags of each text that is being parsed. */
const ends = new WeakMap<StateInline, ReadonlySet<string>>();

/** The start tag here that only names something, because the text does not end its element; undefined if there is none. */
export function placeholderAt(state: StateInline): string | undefined {
  START_TAG.lastIndex = state.pos;
  const [tag, name = ''] = START_TAG.exec(state.src) ?? [];
  const element = name.toLowerCase();
  return tag === undefined || MARKUP.has(element) || endsIn(state).has(element) ? undefined : tag;
}

function endsIn(state: StateInline): ReadonlySet<string> {
  let names = ends.get(state);
  if (!names) {
    names = new Set(Array.from(state.src.matchAll(END_TAGS), ([, name = '']) => name.toLowerCase()));
    ends.set(state, names);
  }
  return names;
}
