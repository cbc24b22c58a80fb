import { setImmediate } from 'node:timers/promises';
import type { BlockNode } from '../../../routers/engine/document/document.ts';
import { createGitbookAnchors, pageAllowance } from '../../../routers/engine/links/gitbook-anchors.ts';
import type { Html } from '../../http/html.ts';
import { renderBlocks } from './blocks.ts';
import { MAX_ADDED, type RenderContext, type ResolvedResources } from './render-context.ts';

/** The state in which rendering a page begins. */
export function createRenderContext(resources: ResolvedResources): RenderContext {
  const context: RenderContext = {
    ...resources,
    blocks: (inside) => renderBlocks(inside, context),
    outline: [],
    gitbookAnchor: createGitbookAnchors(pageAllowance()),
    notes: [],
    rules: new Set(),
    origins: new Set(),
    hasImage: false,
    isOutlined: true,
    depth: 0,
    remaining: MAX_ADDED,
    count: 0,
  };
  return context;
}

/** Time after which rendering yields to the event loop, in milliseconds. */
const TURN = 10;

/** Renders the blocks of a page in order, without holding up other requests: a page can have a million characters. */
export async function renderInTurns(nodes: readonly BlockNode[], context: RenderContext): Promise<Html[]> {
  const rendered: Html[] = [];
  let start = performance.now();
  for (const node of nodes) {
    for (const part of renderBlocks([node], context)) rendered.push(part);
    if (performance.now() - start < TURN) continue;
    await setImmediate();
    start = performance.now();
  }
  return rendered;
}
