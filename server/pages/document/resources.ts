import type { Block, BlockNode, ContentRef, Data } from '../../../routers/engine/document/document.ts';
import { asRef } from '../../../routers/engine/document/refs.ts';
import type { Task } from '../highlight/protocol.ts';
import { codeLines, syntaxOf } from './code.ts';

/** What documents need before they can be drawn. */
export interface Resources {
  refs: Map<string, ContentRef>;
  embeds: Set<string>;
  texts: Task[];
  reusable: Map<string, ContentRef>;
  /** Blocks that show parts of an API. */
  api: Block[];
}

export const newResources = (): Resources => ({
  refs: new Map(),
  embeds: new Set(),
  texts: [],
  reusable: new Map(),
  api: [],
});

export const refKey = (ref: ContentRef): string => JSON.stringify(ref);

const API = new Set(['swagger', 'openapi-operation', 'openapi-schemas', 'openapi-webhook']);

/** Adds what these nodes need, and everything in them. */
export function collectResources(nodes: readonly BlockNode[], found: Resources): void {
  const open: BlockNode[] = [...nodes];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.object === 'text') continue;
    collectOwn(node.type, node.data, found);
    if (node.object === 'block') collectBlock(node, found);
    for (const child of node.nodes ?? []) open.push(child);
    for (const fragment of node.fragments ?? []) for (const child of fragment.nodes) open.push(child);
  }
}

function collectBlock(block: Block, { texts, embeds, api }: Resources): void {
  if (block.type === 'code')
    texts.push({ kind: 'code', syntax: syntaxOf(block), text: codeLines(block).join('\n') });
  else if (block.type === 'embed' && typeof block.data?.url === 'string') embeds.add(block.data.url);
  else if (API.has(block.type)) api.push(block);
}

function collectOwn(type: string, data: Data | undefined, found: Resources): void {
  if (!data) return;
  if ((type === 'math' || type === 'inline-math') && typeof data.formula === 'string')
    found.texts.push({ kind: 'formula', text: data.formula, isBlock: type === 'math' });
  for (const value of [data.ref, data.refDark]) addRef(value, found);
  if (type === 'table') collectCells(data, found);
}

/** The references in the cells of a table: in a field, in a list, by themselves; files are named by their ids. */
function collectCells({ records, definition }: Data, found: Resources): void {
  if (typeof records !== 'object' || records === null) return;
  const columns = (definition ?? {}) as Record<string, { type?: unknown } | undefined>;
  for (const record of Object.values(records as Record<string, { values?: Record<string, unknown> }>)) {
    for (const [id, value] of Object.entries(record?.values ?? {})) {
      const isFiles = Object.hasOwn(columns, id) && columns[id]?.type === 'files';
      for (const one of [value].flat()) {
        if (isFiles && typeof one === 'string') addRef({ kind: 'file', file: one }, found);
        else if (typeof one === 'object' && one !== null) {
          addRef(one, found);
          addRef((one as Data).ref, found);
        }
      }
    }
  }
}

function addRef(value: unknown, { refs, reusable }: Resources): void {
  const ref = asRef(value);
  if (ref?.kind === 'reusable-content') reusable.set(refKey(ref), ref);
  else if (ref) refs.set(refKey(ref), ref);
}
