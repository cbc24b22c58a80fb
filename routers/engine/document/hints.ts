import type { Block, Text } from './nodes.ts';

const HINT_STYLES = ['info', 'warning', 'danger', 'success'] as const;
export type HintStyle = (typeof HINT_STYLES)[number];

/** The style of a hint; unknown ones count as information. */
export const hintStyleOf = ({ data }: Block): HintStyle =>
  HINT_STYLES.find((style) => style === data?.style) ?? 'info';

/** The styles that correspond to the alerts of GitHub, and to those that other tools have besides. */
const ALERT_STYLES: Readonly<Record<string, HintStyle>> = {
  note: 'info',
  important: 'info',
  tip: 'success',
  warning: 'warning',
  caution: 'danger',
  info: 'info',
  success: 'success',
  danger: 'danger',
};

const ALERT = /^\[!(note|important|tip|warning|caution|info|success|danger)\][ \t]*(?:\n|$)/i;

/**
 * Converts a quote that is written as an alert of GitHub, with a first line such as `[!NOTE]`, to a hint. Alerts are stored and
 * exported as the quotes that they are.
 * @returns undefined for any other block
 */
export function alertAsHint(block: Block): Block | undefined {
  if (block.type !== 'blockquote') return undefined;
  const [first, ...others] = block.nodes ?? [];
  if (first?.object !== 'block' || first.type !== 'paragraph') return undefined;
  const [text, ...inlines] = first.nodes ?? [];
  if (text?.object !== 'text') return undefined;
  const [leaf, ...leaves] = text.leaves;
  const [marker = '', name = ''] = ALERT.exec(leaf?.marks.length === 0 ? leaf.text : '') ?? [];
  if (!leaf || marker === '') return undefined;
  const isWhole = marker === leaf.text && leaves.length === 0 && inlines.length === 0;
  // Otherwise, what follows is on the line of the marker.
  if (!isWhole && !marker.endsWith('\n')) return undefined;
  const rest: Text = { ...text, leaves: [{ ...leaf, text: leaf.text.slice(marker.length) }, ...leaves] };
  return {
    ...block,
    type: 'hint',
    data: { style: ALERT_STYLES[name.toLowerCase()] },
    nodes: isWhole ? others : [{ ...first, nodes: [rest, ...inlines] }, ...others],
  };
}
