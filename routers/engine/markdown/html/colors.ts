import type { Mark } from '../../document/document.ts';
import { stringIn } from '../nodes.ts';

const COLOR = /^<mark style="(?:color:([^;"<>]+);)?(?:background-color:([^;"<>]+);)?">$/;

/** The mark that a `<mark>` tag represents, if it is written as GitBook writes it. */
export function colorMark(tag: string): Mark | undefined {
  const match = COLOR.exec(tag);
  if (!match || (match[1] === undefined && match[2] === undefined)) return undefined;
  const data = { text: match[1] ?? 'default', background: match[2] ?? 'default' };
  return data.text === 'default' && data.background === 'default'
    ? undefined
    : { object: 'mark', type: 'color', data };
}

/** The tag of a color mark; undefined if it has no effect. */
export function colorTag(mark: Mark): string | undefined {
  const color = stringIn(mark.data, 'text') ?? 'default';
  const background = stringIn(mark.data, 'background') ?? 'default';
  const style =
    (color === 'default' ? '' : `color:${color};`) +
    (background === 'default' ? '' : `background-color:${background};`);
  const tag = `<mark style="${style}">`;
  return style !== '' && colorMark(tag) ? tag : undefined;
}
