import type { Block } from '../../document/document.ts';
import { plainText } from '../../document/readers.ts';
import { asRef, labelOf } from '../../document/refs.ts';
import { stringIn } from '../nodes.ts';
import { readDocument } from '../parse/parse-document.ts';

/**
 * The title that an author gave to what a content reference at a URL refers to: the text of the link between its tags. Undefined
 * if that is the address, and for other blocks: titles of pages are read from the pages.
 */
export function titleOfUrl({ type, data, format }: Block): string | undefined {
  const ref = type === 'content-ref' ? asRef(data?.ref) : undefined;
  const body = stringIn(format, 'body');
  if (ref?.kind !== 'url' || body === undefined) return undefined;
  const [label, ...others] = readDocument(body, undefined).document.nodes;
  const [link, ...rest] = others.length === 0 && label?.type === 'paragraph' ? (label.nodes ?? []) : [];
  if (link?.object !== 'inline' || link.type !== 'link' || rest.length > 0) return undefined;
  const title = plainText([link]).trim();
  return title === '' || title === ref.url || title === labelOf(ref.url) ? undefined : title;
}
