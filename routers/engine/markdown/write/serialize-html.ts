/** Writes blocks as elements of raw HTML, where there is no Markdown. */

import type { Block } from '../../document/document.ts';
import type { Href } from '../../document/refs.ts';
import { writeHtmlBlock, writeHtmlContent } from '../html/block-elements.ts';
import { fragmentOf } from '../nodes.ts';
import { writeRaw } from '../parse/raw.ts';
import { writeHtmlTable } from './serialize-tables.ts';

/** A block as HTML without blank lines. What HTML cannot represent is lost, so the result has to be read to be trusted. */
export function writeAsHtml(block: Block, hrefOf: Href): string {
  switch (block.type) {
    case 'markdown':
      return writeRaw(block, hrefOf);
    case 'table':
      return writeHtmlTable(block, hrefOf);
    case 'expandable': {
      const title = writeHtmlContent(fragmentOf(block, 'expandable-title') ?? [], hrefOf);
      const body = (fragmentOf(block, 'expandable-body') ?? []).map((inside) => writeAsHtml(inside, hrefOf));
      return `<details><summary>${title}</summary>${body.join('')}</details>`;
    }
    default:
      return writeHtmlBlock(block, hrefOf);
  }
}
