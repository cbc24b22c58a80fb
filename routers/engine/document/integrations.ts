import type { Block } from './document.ts';

/**
 * What readers see of a block of an integration, none of which runs here: a reference to the URL that it shows, or else its text
 * as code. Undefined if it has neither.
 */
export function shownIntegration({ key, data = {} }: Block): Block | undefined {
  const props = (data.props ?? {}) as Record<string, unknown>;
  const keyed = key !== undefined && { key };
  const url = [data.url, props.url].find(isWebAddress);
  if (url !== undefined)
    return {
      object: 'block',
      type: 'content-ref',
      ...keyed,
      isVoid: true,
      data: { ref: { kind: 'url', url } },
    };
  const { content } = props;
  if (typeof content !== 'string' || content.trim() === '') return undefined;
  // The source of a diagram has the name of its integration as its language: `mermaid`, `plantuml`.
  return {
    object: 'block',
    type: 'code',
    ...keyed,
    data: { syntax: data.integration },
    nodes: linesOf(content),
  };
}

const isWebAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '');

const linesOf = (text: string): Block[] =>
  text
    .trimEnd()
    .replace(/^\s*\n/, '')
    .split(/\r?\n/)
    .map((line) => ({
      object: 'block',
      type: 'code-line',
      nodes: [{ object: 'text', leaves: [{ object: 'leaf', text: line, marks: [] }] }],
    }));
