/** Writes the Markdown files of pages and reusable contents. */

import { createLinkResolver, type LinkTargets } from '../import/links.ts';
import { indexFiles } from '../import/locate.ts';
import { titleFromPath } from '../import/outline.ts';
import { readPageHead } from '../import/page-head.ts';
import { getDocument } from '../store/documents.ts';
import type { ObjectReader } from '../store/objects.ts';
import type { PageRecord, ReusableContentRecord } from '../store/records.ts';
import { getTexts } from '../store/texts.ts';
import { type Links, updateBody, writeBody } from './body.ts';
import { createHrefWriter } from './hrefs.ts';
import type { Layout } from './layout.ts';
import { normalizeLineEndings, withBlankLine, withLineEndingsOf } from './line-endings.ts';
import { updateContentHead, updatePageHead, writeContentHead, writePageHead } from './page-head.ts';

/** A page or reusable content to write to a file. */
export type ContentFile = {
  readonly path: string;
  /** The title of the page in the imported table of contents. */
  readonly label?: string | undefined;
} & ({ readonly page: PageRecord } | { readonly content: ReusableContentRecord });

/**
 * Writes the file of a page or reusable content, and returns its text. What has not changed since the import stays as it was
 * in the file; the rest is serialized, with links relative to the file.
 */
export async function writeContentFile(
  reader: ObjectReader,
  { layout, file }: { layout: Layout; file: ContentFile },
): Promise<string> {
  const { git, document } = 'page' in file ? file.page : file.content;
  const given =
    git?.text === undefined ? undefined : (await getTexts(reader, [git.text])).get(git.text)?.text;
  if (git === undefined || given === undefined) {
    const hrefOf = createHrefWriter(layout, file.path);
    const head = writeHead(file, layout, hrefOf);
    return join(head, document === undefined ? '' : writeBody(await getDocument(reader, document), hrefOf));
  }
  const text = normalizeLineEndings(given);
  const start =
    git.head !== undefined && text.startsWith(git.head)
      ? git.head.length
      : readPageHead(text, 'page' in file ? 'title' : 'content').bodyStart;
  const head = text.slice(0, start);
  const body = text.slice(start);
  const links = linksOf(layout, file.path);
  const newHead = updateHead(file, head, text, layout, links);
  let newBody = body;
  if (document !== undefined && document !== git.document) {
    const after = await getDocument(reader, document);
    newBody =
      git.document === undefined
        ? writeBody(after, links.hrefOf)
        : updateBody(body, await getDocument(reader, git.document), after, links);
  }
  if (newHead === head && newBody === body) return given;
  return withLineEndingsOf(given, body === '' ? join(newHead, newBody) : newHead + newBody);
}

function writeHead(file: ContentFile, { root }: Layout, hrefOf: Links['hrefOf']): string {
  return 'page' in file
    ? writePageHead(file.page, file.path, root, hrefOf)
    : writeContentHead(file.content.title);
}

function updateHead(file: ContentFile, head: string, text: string, { root }: Layout, links: Links): string {
  if ('page' in file) {
    const { page, path, label } = file;
    return updatePageHead(head, { page, text, path, root, label, ...links });
  }
  const { attributes, laterHeading } = readPageHead(text, 'content');
  const title = attributes.title ?? laterHeading ?? titleFromPath(file.path);
  return title === file.content.title ? head : updateContentHead(head, file.content.title);
}

/** Joins a head and a body with a blank line. */
const join = (head: string, body: string): string =>
  head === '' || body === '' ? head + body : withBlankLine(head) + body;

/** Converts the links of a file, in both directions. */
function linksOf(layout: Layout, path: string): Links {
  const targets = targetsOf(layout);
  return {
    hrefOf: createHrefWriter(layout, path),
    resolve: createLinkResolver(targets, path, () => undefined),
  };
}

const known = new WeakMap<Layout, LinkTargets>();

/** The targets that links in the files of an export can have, as an import of these files would find them. */
export function targetsOf(layout: Layout): LinkTargets {
  const targets = known.get(layout) ?? findTargets(layout);
  known.set(layout, targets);
  return targets;
}

function findTargets({ root, keys, ...layout }: Layout): LinkTargets {
  const generated = new Map(
    [...layout.generated].map(([id, path]) => [path.slice(0, -'.md'.length), id] as const),
  );
  const byPath = (paths: ReadonlyMap<string, string>) => new Map([...paths].map(([id, path]) => [path, id]));
  const pages = byPath(layout.pages);
  const files = byPath(layout.files);
  const reusableContents = byPath(layout.reusableContents);
  const index = indexFiles([...pages.keys(), ...files.keys(), ...reusableContents.keys()], root);
  for (const [key, id] of keys) pages.set(key, id);
  return { index, pages, files, reusableContents, generated };
}
