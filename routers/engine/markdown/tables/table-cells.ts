import type { ContentRef } from '../../document/document.ts';
import type { RefOf } from '../../document/refs.ts';
import { labelOf, type RefKind } from '../../document/refs.ts';
import { elementsOnly, type HtmlElement, type HtmlNode, hasOnly } from '../html/html.ts';
import { textIn } from '../html/html-objects.ts';
import type { Definition, TableParts } from './table-columns.ts';

/** Whether a cell has no alignment of its own: it may only repeat that of its column. */
export function isAlignedAs(column: Definition, cell: HtmlElement): boolean {
  const align = cell.attributes.get('align');
  const vertical = cell.attributes.get('valign');
  if (column.type !== 'text') return true;
  return (
    (align === undefined || align === column.textAlignment) &&
    (vertical === undefined || vertical === column.verticalAlignment)
  );
}

export function isEmpty(cell: HtmlElement): boolean {
  return cell.children.every((child) => child.tag === undefined && child.text.trim() === '');
}

/** The value of a cell of a column that is not text; undefined if the content does not suit the column's type. */
export function readValue(parts: TableParts, column: Definition, cell: HtmlElement, refOf: RefOf): unknown {
  const [only] = cell.children;
  const fit = cell.attributes.get('data-object-fit');
  if (fit !== undefined && (column.type !== 'image' || !FITS.has(fit))) return undefined;
  if (column.type === 'select') return readSelected(parts, column, cell);
  if (column.type === 'files') {
    if (cell.children.length > 1 && hasCustomLabel(cell)) return undefined;
    const refs = cell.children.map((child) => readRef(child, refOf, 'file'));
    if (refs.some((ref) => ref === undefined)) return undefined;
    return refs.length === 1 ? refs[0] : refs;
  }
  if (!only || cell.children.length > 1) return undefined;
  if (column.type === 'content-ref') return readRef(only, refOf, 'link');
  if (column.type === 'image') {
    const ref = readRef(only, refOf, 'image');
    return ref && fit !== undefined ? { ref, objectFit: fit } : ref;
  }
  if (only.tag !== undefined) return undefined;
  if (column.type === 'checkbox' && (only.text === 'true' || only.text === 'false'))
    return only.text === 'true';
  const isNumber = column.type === 'number' || column.type === 'rating';
  return isNumber && String(Number(only.text)) === only.text ? Number(only.text) : only.text;
}

const FITS = new Set(['contain', 'fill', 'cover']);

/** The ids of the options in a cell, which shows their labels. */
function readSelected(parts: TableParts, column: Definition, cell: HtmlElement): string[] | undefined {
  const options = column.options as { value: string; label: string; color: string }[];
  const known = parts.options.get(column.id);
  const values: string[] = [];
  for (const span of elementsOnly(cell.children) ?? [cell]) {
    const value = span.attributes.get('data-option');
    const label = textIn(span);
    if (span.tag !== 'span' || value === undefined || label === undefined || !hasOnly(span, ['data-option']))
      return undefined;
    // The label of an option that is missing in the heading is known from the cell.
    if (!known?.has(value)) options.push({ value, label: label.trim(), color: '' });
    known?.add(value);
    values.push(value);
  }
  return values;
}

function readRef(node: HtmlNode, refOf: RefOf, kind: RefKind): ContentRef | undefined {
  if (node.tag !== 'a' || !hasOnly(node, ['href', 'data-mention'])) return undefined;
  const href = node.attributes.get('href');
  return href === undefined || node.children.length === 0 ? undefined : refOf(href, kind);
}

/** The text of a cell's only link, if it does not follow from the URL. */
export function labelIn(cell: HtmlElement): string | undefined {
  const [link] = cell.children;
  if (cell.children.length !== 1 || link?.tag !== 'a') return undefined;
  const text = plainText(link.children);
  return text === labelOf(link.attributes.get('href') ?? '') ? undefined : text;
}

function plainText(nodes: readonly HtmlNode[]): string {
  return nodes.map((node) => (node.tag === undefined ? node.text : plainText(node.children))).join('');
}

function hasCustomLabel(cell: HtmlElement): boolean {
  return cell.children.some(
    (child) => child.tag !== undefined && labelIn({ ...cell, children: [child] }) !== undefined,
  );
}
