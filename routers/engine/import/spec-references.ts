/** The OpenAPI specs that imported documents refer to. */

import type { Document } from '../document/document.ts';
import { findRefs } from '../document/readers.ts';
import { specOf } from '../document/refs.ts';

/** The slugs or ids of specs, and the lines that first name them, from 1, as far as they are known. */
export type SpecLines = ReadonlyMap<string, number | undefined>;

/** The slugs or ids of the OpenAPI specs that a document refers to. */
export const specsIn = (document: Document): Set<string> =>
  new Set(findRefs(document).flatMap(({ ref }) => (ref.kind === 'openapi' ? specOf(ref).spec : [])));

/** Attributes that name a spec and maybe a version of it, and links to one. */
const SPEC_NAME = /(?:\bspec=["']?|\/openapi\/)([\w.-]{1,100})/g;

/** The lines on which a text first names these specs. */
export function linesOfSpecs(specs: ReadonlySet<string>, text: string): SpecLines {
  const lines = new Map<string, number | undefined>([...specs].map((name) => [name, undefined]));
  if (specs.size === 0) return lines;
  let line = 1;
  let counted = 0;
  for (const { 1: name = '', index } of text.matchAll(SPEC_NAME)) {
    if (!specs.has(name) || lines.get(name) !== undefined) continue;
    for (let at = text.indexOf('\n', counted); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line++;
    counted = index;
    lines.set(name, line);
  }
  return lines;
}
