import type { Block, BlockNode, ContentRef, Data } from '../../../routers/engine/document/document.ts';
import { shownIntegration } from '../../../routers/engine/document/integrations.ts';
import { asRef } from '../../../routers/engine/document/refs.ts';
import { type AnchorRef, isTitledAnchor } from '../../../routers/engine/links/anchor-titles.ts';
import type { Task } from '../highlight/protocol.ts';
import { codeLines, syntaxOf } from './code.ts';

/** What must be loaded before documents can be rendered. */
export interface Resources {
  refs: Map<string, ContentRef>;
  /** Those to anchors of pages that are shown with the title of the anchor. */
  titled: Map<string, AnchorRef>;
  embeds: Set<string>;
  texts: Task[];
  reusable: Map<string, ContentRef>;
  /** Blocks that show part of an API. */
  api: Block[];
}

export const newResources = (): Resources => ({
  refs: new Map(),
  titled: new Map(),
  embeds: new Set(),
  texts: [],
  reusable: new Map(),
  api: [],
});

export const refKey = (ref: ContentRef): string => JSON.stringify(ref);

const API = new Set(['swagger', 'openapi-operation', 'openapi-schemas', 'openapi-webhook']);

/** Adds everything that these nodes and their descendants need. */
export function collectResources(nodes: readonly BlockNode[], found: Resources): void {
  const pending: BlockNode[] = [...nodes];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.object === 'text') continue;
    const shown = node.object === 'block' && node.type === 'integration' && shownIntegration(node);
    if (shown) {
      pending.push(shown);
      continue;
    }
    collectFromData(node.type, node.data, found);
    if (node.object === 'block') collectBlock(node, found);
    for (const child of node.nodes ?? []) pending.push(child);
    for (const fragment of node.fragments ?? []) for (const child of fragment.nodes) pending.push(child);
  }
}

function collectBlock(block: Block, { texts, embeds, api }: Resources): void {
  if (block.type === 'code')
    texts.push({ kind: 'code', syntax: syntaxOf(block), text: codeLines(block).join('\n') });
  else if (block.type === 'embed' && typeof block.data?.url === 'string') embeds.add(block.data.url);
  else if (API.has(block.type)) api.push(block);
}

function collectFromData(type: string, data: Data | undefined, found: Resources): void {
  if (!data) return;
  if ((type === 'math' || type === 'inline-math') && typeof data.formula === 'string')
    found.texts.push({ kind: 'formula', text: data.formula, isBlock: type === 'math' });
  for (const value of [data.ref, data.refDark]) addRef(value, found, type);
  if (type === 'table') collectCells(data, found);
}

/** Adds the references in the cells of a table: plain, within an object or a list, or, for files, as ids. */
function collectCells({ records, definition }: Data, found: Resources): void {
  if (typeof records !== 'object' || records === null) return;
  const columns = (definition ?? {}) as Record<string, { type?: unknown } | undefined>;
  for (const record of Object.values(records as Record<string, { values?: Record<string, unknown> }>)) {
    for (const [id, value] of Object.entries(record?.values ?? {})) {
      const isFiles = Object.hasOwn(columns, id) && columns[id]?.type === 'files';
      for (const one of [value].flat()) {
        if (isFiles && typeof one === 'string') addRef({ kind: 'file', file: one }, found, 'table');
        else if (typeof one === 'object' && one !== null) {
          addRef(one, found, 'table');
          addRef((one as Data).ref, found, 'table');
        }
      }
    }
  }
}

/** @param type the type of the node that refers to it */
function addRef(value: unknown, { refs, titled, reusable }: Resources, type: string): void {
  const ref = asRef(value);
  if (ref && isTitledAnchor(ref, type)) titled.set(refKey(ref), ref);
  if (ref?.kind === 'reusable-content') reusable.set(refKey(ref), ref);
  else if (ref) refs.set(refKey(ref), ref);
}
