/**
 * The nodes of a laid-out book: plain data that the template reads. No text in them is ever interpreted as source code of
 * the typesetter.
 */

/** Text with its marks, one letter each: bold, italic, code, strikethrough (x), keyboard, superscript (^), subscript (_). */
export interface Run {
  t: 'run';
  s: string;
  m: string;
  /** Colors by name. */
  fg?: string;
  bg?: string;
}

/** A place in the book: `page`, or `page#anchor`. */
export type BookPlace = string;

export type Inline =
  | string
  | Run
  | { t: 'break' }
  | { t: 'link'; to?: BookPlace; href?: string; c: Inline[] }
  | { t: 'math'; f: string }
  | { t: 'picture'; picture: string; alt: string; line: boolean }
  | { t: 'button'; to?: BookPlace; href?: string; c: Inline[]; primary: boolean }
  | { t: 'footnote'; c: Node[] };

/** The text direction, if it differs from that of the book. */
interface Directed {
  dir?: 'rtl' | 'ltr';
}

export interface Cell extends Directed {
  c: Node[];
}

export type Node =
  /** A paragraph; `keep` keeps it on the same page as what follows. */
  | ({ t: 'p'; c: Inline[]; align?: string; keep?: true } & Directed)
  | ({ t: 'heading'; level: number; c: Inline[]; id?: BookPlace; align?: string } & Directed)
  | ({ t: 'list'; kind: 'bullets' | 'numbers' | 'tasks'; start: number; items: Item[] } & Directed)
  | ({ t: 'quote'; c: Node[] } & Directed)
  | ({ t: 'hint'; style: string; c: Node[] } & Directed)
  | Code
  | { t: 'math'; f: string }
  | ({ t: 'table'; columns: Column[]; head: Cell[] | null; rows: Cell[][]; size: number } & Directed)
  | { t: 'cards'; cards: Card[] }
  | { t: 'figure'; picture: string; alt: string; width: number | null; caption: Node[]; align: string }
  | { t: 'reference'; icon: string; to?: BookPlace; href?: string; title: Inline[]; detail: string }
  | ({
      t: 'section';
      kind: 'expandable' | 'tab' | 'step';
      number: number;
      title: Inline[];
      c: Node[];
    } & Directed)
  | { t: 'columns'; columns: { width: number; c: Node[] }[] }
  | { t: 'operation'; method: string; path: string; title: string }
  | { t: 'divider' }
  /** A note about something that could not be shown. */
  | { t: 'note'; s: string };

export interface Item {
  c: Node[];
  checked?: boolean;
}

export interface Column {
  /** The share of the width; 0 for the width of the content. */
  width: number;
  align: string;
}

export interface Card {
  picture?: string;
  to?: BookPlace;
  href?: string;
  c: Node[];
}

interface Code {
  t: 'code';
  title: string;
  language: string;
  text: string;
  numbers: boolean;
  /** The numbers of highlighted lines, from 1. */
  highlighted: number[];
}

/** A laid-out page with its level in the table of contents. */
export interface Chapter extends Directed {
  id: BookPlace;
  /** From 1. */
  level: number;
  title: Inline[];
  /** The title as plain text, for the running head, the table of contents and bookmarks. */
  name: string;
  description: string;
  /** Whether it is a group of pages. */
  isPart: boolean;
  c: Node[];
  /** The anchors of its headings. */
  anchors: BookPlace[];
  /** The pictures that it shows. */
  pictures: string[];
}
