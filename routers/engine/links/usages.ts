import { hash } from 'node:crypto';
import type { ApiPart } from '../document/api-part.ts';
import type { ContentRef } from '../document/document.ts';
import { asRef } from '../document/refs.ts';
import { canonicalJson, type Json } from '../store/canonical.ts';
import { computedSourceOf } from '../store/computed-source.ts';
import type { PageRecord, ReusableContentRecord } from '../store/records.ts';
import { type DocumentRef, targetOf } from './document-links.ts';

/** A page or reusable content that may contain references. */
export interface LinkSource {
  kind: 'page' | 'reusable-content';
  id: string;
  /** Hash of its document. */
  document: string | undefined;
  /** References outside its document: link targets, cover images and sources of computed pages. */
  own: ContentRef[];
}

/** A place with a reference; `block` is the key of its block, if it is in a document. */
export interface Referrer {
  kind: LinkSource['kind'];
  id: string;
  block: string | undefined;
}

/** A target, or a part of an OpenAPI document, with all the places that refer to it. */
export interface Usage {
  /** A short key, the same for equal references; usages are sorted by it. */
  key: string;
  ref: ContentRef;
  /** The part of an OpenAPI document that the places show. */
  part: ApiPart | undefined;
  places: Referrer[];
}

export function linkSourceOfPage(page: PageRecord): LinkSource {
  const { id, document, target, cover } = page;
  const own = [target, asRef(cover?.ref), asRef(cover?.refDark), computedSourceOf(page)?.ref];
  return { kind: 'page', id, document, own: own.filter((ref) => ref !== undefined) };
}

export const linkSourceOfReusableContent = ({ id, document }: ReusableContentRecord): LinkSource => ({
  kind: 'reusable-content',
  id,
  document,
  own: [],
});

export const documentsOf = (sources: readonly LinkSource[]): string[] =>
  sources.flatMap(({ document }) => document ?? []);

type Refs = ReadonlyMap<string, readonly DocumentRef[]>;

/** Groups the references in pages and reusable contents of a space by target. `refs` are those in documents, by hash. */
export function usagesOf(sources: readonly LinkSource[], refs: Refs, space: string): Usage[] {
  const usages = new Map<string, Omit<Usage, 'key' | 'places'> & { places: Map<string, Referrer> }>();
  for (const { ref, part, place } of occurrences(sources, refs, space)) {
    const reference = canonicalJson((part ? [ref, part] : ref) as Json);
    const usage = usages.get(reference) ?? { ref, part, places: new Map() };
    usages.set(reference, usage);
    usage.places.set(identityOf(place), place);
  }
  return [...usages]
    .map(([reference, { places, ...usage }]) => ({
      key: `${usage.ref.kind} ${digest(reference)}`,
      ...usage,
      places: [...places.values()],
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Finds the places in a space that refer to one of its pages or files, sorted by key. */
export function placesOf(
  sources: readonly LinkSource[],
  refs: Refs,
  space: string,
  target: string,
): (Referrer & { key: string })[] {
  const places = new Map<string, Referrer>();
  for (const { ref, place } of occurrences(sources, refs, space)) {
    const isElsewhere = 'space' in ref && ref.space !== undefined;
    if (!isElsewhere && targetOf(ref) === target) places.set(identityOf(place), place);
  }
  return [...places.values()]
    .map((place) => ({ ...place, key: placeKey(place) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

const identityOf = ({ kind, id, block }: Referrer): string => `${kind} ${id} ${block ?? ''}`;

/** A short key that identifies a place; the key of its block may have any length. */
const placeKey = ({ kind, id, block }: Referrer): string =>
  `${kind} ${id} ${block === undefined ? '' : digest(block)}`;

const digest = (text: string): string => hash('sha256', text, 'base64url');

function* occurrences(sources: readonly LinkSource[], refs: Refs, space: string) {
  for (const source of sources) {
    const { kind, id, document, own } = source;
    const held = document === undefined ? [] : (refs.get(document) ?? []);
    for (const ref of own)
      yield { ref: inSpace(ref, source, space), part: undefined, place: { kind, id, block: undefined } };
    for (const { ref, block, part } of held) {
      yield { ref: inSpace(ref, source, space), part, place: { kind, id, block } };
    }
  }
}

/** Normalizes a reference: removes its space if it is this one, and adds the page to an anchor. */
function inSpace(ref: ContentRef, source: LinkSource, space: string): ContentRef {
  if (ref.kind === 'space' || !('space' in ref || ref.kind === 'anchor')) return ref;
  const { space: named, ...local } = ref;
  if (named !== undefined && named !== space) return ref;
  if (local.kind !== 'anchor' || local.page !== undefined || source.kind !== 'page') return local;
  return { ...local, page: source.id };
}
