/** Writes the head of a page's file, before its body: front matter and the title. */

import type { ContentRef } from '../document/document.ts';
import { type FrontMatter, splitFrontMatter } from '../import/front-matter.ts';
import { slugFromPath, titleFromPath } from '../import/outline.ts';
import { readPageHead } from '../import/page-head.ts';
import { type Json, sameJson } from '../store/canonical.ts';
import { DEFAULT_LAYOUT } from '../store/page-fields.ts';
import type { PageRecord } from '../store/records.ts';
import { isSlugOf } from '../store/slug.ts';
import { withoutUndefined } from '../values.ts';
import { escapeTitle } from './escape-title.ts';
import { editMapping, writeMapping } from './yaml-edit.ts';

type HrefOf = (ref: ContentRef) => string;

/** A page, and what is needed to compare it with the head of its file. */
interface HeadUpdate {
  page: PageRecord;
  /** The text of its file, which starts with the head. */
  text: string;
  path: string;
  /** Folder of the documentation. */
  root: string;
  /** The title of the page in the imported table of contents. */
  label: string | undefined;
  hrefOf: HrefOf;
  resolve: (href: string) => ContentRef | undefined;
}

/** The settings in front matter, in the order in which they are written. */
const SETTINGS = [
  'description',
  'icon',
  'emoji',
  'cover',
  'coverDark',
  'coverY',
  'coverHeight',
  'layout',
  'hidden',
  'if',
  'noIndex',
  'noRobotsIndex',
  'vars',
  'tags',
] as const;

/** Writes the head of a page that had no file before. */
export function writePageHead(page: PageRecord, path: string, root: string, hrefOf: HrefOf): string {
  const yaml = writeMapping({
    ...withoutUndefined(settingsOf(page, hrefOf)),
    ...(!isSlugOf(page.slug, slugFromPath(path, root)) && { slug: page.slug }),
  });
  return `${yaml === '' ? '' : `---\n${yaml}---\n\n`}# ${escapeTitle(page.title)}\n`;
}

/** Updates the head of an imported file with what has changed in the page since. */
export function updatePageHead(head: string, update: HeadUpdate): string {
  const { page, text, path, root, label, hrefOf, resolve } = update;
  const { attributes, heading } = readPageHead(head);
  const { laterHeading } = readPageHead(text);
  const changes = new Map<string, unknown>();
  const wanted = settingsOf(page, hrefOf);
  const given = settingsOf(importedSettings(attributes, resolve), hrefOf);
  const isSame = (name: (typeof SETTINGS)[number]): boolean => {
    if (name === 'layout') return sameJson(fullLayout(page.layout), fullLayout(attributes.layout));
    // Undefined in pages imported before tags were supported; a page whose tags were removed has an empty list.
    if (name === 'tags' && page.tags === undefined) return true;
    return sameJson(wanted[name], given[name]);
  };
  for (const name of SETTINGS)
    if (!isSame(name)) {
      if (name === 'vars') changes.set('variables', undefined);
      changes.set(name, wanted[name]);
    }
  // The dark cover can be in either of two settings, so both are rewritten.
  if (changes.has('cover') || changes.has('coverDark')) {
    changes.set('cover', wanted.cover);
    changes.set('coverDark', wanted.coverDark);
  }
  const slug = attributes.slug ?? slugFromPath(path, root);
  if (!isSlugOf(page.slug, slug)) changes.set('slug', page.slug);

  const titles = [attributes.title, heading, laterHeading, label, page.summaryTitle];
  const isRenamed = !titles.includes(page.title) && page.title !== titleFromPath(path);
  if (isRenamed && attributes.title !== undefined) changes.set('title', page.title);
  const withSettings = changes.size > 0 ? editFrontMatter(head, changes) : head;
  // Without a heading, the title is in the front matter or in the table of contents.
  if (!isRenamed || (heading === undefined && (attributes.title ?? label) !== undefined)) return withSettings;
  return replaceHeading(withSettings, page.title);
}

/** Updates the head of a reusable content, whose title is in the front matter. */
export const updateContentHead = (head: string, title: string): string =>
  editFrontMatter(head, new Map([['title', title]]));

export const writeContentHead = (title: string): string => `---\n${writeMapping({ title })}---\n\n`;

function editFrontMatter(head: string, changes: ReadonlyMap<string, unknown>): string {
  const split = splitFrontMatter(head);
  if (!split) {
    const given = new Map([...changes].filter(([, value]) => value !== undefined));
    return given.size === 0 ? head : `---\n${writeMapping(Object.fromEntries(given))}---\n\n${head}`;
  }
  const yaml = editMapping(split.yaml, changes);
  const rest = head.slice(split.end);
  if (yaml.trim() === '') return rest.replace(/^\n+/, '');
  const start = head.indexOf('\n') + 1;
  return head.slice(0, start) + yaml + head.slice(start + split.yaml.length, split.end) + rest;
}

/** Replaces the heading at the start of the file, or inserts one. Comments before it are kept. */
function replaceHeading(head: string, title: string): string {
  const { headingStart, bodyStart } = readPageHead(head);
  if (headingStart === undefined) {
    const start = splitFrontMatter(head)?.end ?? 0;
    const text = head.slice(start).trimStart();
    const before = head.slice(0, head.length - text.length);
    return `${before}# ${escapeTitle(title)}\n\n${text}`;
  }
  const written = head.slice(headingStart, bodyStart);
  const after = written.slice(written.trimEnd().length);
  return `${head.slice(0, headingStart)}# ${escapeTitle(title)}${after === '' ? '\n' : after}${head.slice(bodyStart)}`;
}

type Settings = Record<(typeof SETTINGS)[number], unknown>;

/** The settings of a page as in front matter; undefined if not set. */
function settingsOf(
  page: Pick<
    PageRecord,
    | 'description'
    | 'icon'
    | 'emoji'
    | 'cover'
    | 'layout'
    | 'hidden'
    | 'condition'
    | 'noIndex'
    | 'noRobotsIndex'
    | 'variables'
    | 'tags'
  >,
  hrefOf: HrefOf,
): Settings {
  const { ref, refDark, yPos, height } = (page.cover ?? {}) as {
    ref?: ContentRef;
    refDark?: ContentRef;
    yPos?: number;
    height?: number;
  };
  return {
    description: page.description || undefined,
    icon: page.icon || undefined,
    emoji: page.emoji || undefined,
    cover: ref && hrefOf(ref),
    coverDark: refDark && hrefOf(refDark),
    coverY: page.cover && (yPos ?? 0),
    coverHeight: height,
    layout: page.layout && layoutOf(page.layout),
    hidden: page.hidden || undefined,
    if: page.condition,
    noIndex: page.noIndex || undefined,
    noRobotsIndex: page.noRobotsIndex || undefined,
    vars: Object.keys(page.variables ?? {}).length > 0 ? page.variables : undefined,
    tags:
      page.tags?.length === 0
        ? undefined
        : page.tags?.map(({ tag, primary }) => (primary ? { tag, primary } : tag)),
  };
}

function importedSettings(
  { cover, ...attributes }: FrontMatter,
  resolve: (href: string) => ContentRef | undefined,
): Parameters<typeof settingsOf>[0] {
  const { layout, variables, description, icon, emoji, hidden, condition, noIndex, noRobotsIndex, tags } =
    attributes;
  return {
    ...withoutUndefined({
      description,
      icon,
      emoji,
      hidden,
      condition,
      noIndex,
      noRobotsIndex,
      variables,
      tags,
    }),
    ...(layout && { layout: { ...layout } }),
    ...(cover && {
      cover: {
        ...(cover.light !== undefined && { ref: resolve(cover.light) as unknown as Json }),
        ...(cover.dark !== undefined && { refDark: resolve(cover.dark) as unknown as Json }),
        yPos: cover.yPos,
        height: cover.height,
      },
    }),
  };
}

/** Converts a layout to the form in front matter, with `visible` for each part. */
function layoutOf({ width, cover, coverSize, coverMask, ...parts }: Record<string, unknown>): object {
  const hasCover = [cover, coverSize, coverMask].some((value) => value !== undefined);
  return {
    ...(width !== undefined && { width }),
    ...(hasCover && {
      cover: {
        visible: cover ?? DEFAULT_LAYOUT.cover,
        size: coverSize ?? DEFAULT_LAYOUT.coverSize,
        ...(coverMask !== undefined && { mask: coverMask }),
      },
    }),
    ...Object.fromEntries(Object.entries(parts).map(([part, visible]) => [part, { visible }])),
  };
}

/** Fills in the defaults: a layout in front matter is always complete. */
const fullLayout = (layout: object | undefined) => layout && { ...DEFAULT_LAYOUT, ...layout };
