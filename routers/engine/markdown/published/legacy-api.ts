/**
 * API operations in the tags that GitBook used before OpenAPI blocks: `{% swagger method="get" … %}` and, before that,
 * `{% api-method … %}`. Their tags stay as they are; readers get what their attributes say, before the blocks between them.
 */

import type { Block, Leaf, Mark } from '../../document/document.ts';
import { paragraph } from '../nodes.ts';
import { unescapeAll } from '../parse/parser.ts';
import { parseAttributes } from '../tag-attributes.ts';

export type Attributes = ReadonlyMap<string, string>;

/** A text, and the types of its marks. */
type Part = [text: string, ...marks: (Mark['type'] | Mark)[]];

const TAG = /^\{%\s*((?:swagger|api-method)(?:-[a-z-]+)?)((?:\s.*)?)%\}\s*$/s;
const END_TAG = /^\{%\s*end((?:swagger|api-method)(?:-[a-z-]+)?)\s*%\}\s*$/;

const LABELLED = /^api-method-((?:path|query|body|form-data)-parameters|headers)$/;

const REQUIRED: Mark = { object: 'mark', type: 'color', data: { text: 'red', background: 'default' } };

/** The name of such a tag, and whether it is an end; undefined for other Markdown. */
export function legacyApiTag(markdown: string): { name: string; isClose: boolean } | undefined {
  const [, opened] = TAG.exec(markdown) ?? [];
  const name = opened ?? END_TAG.exec(markdown)?.[1];
  return name === undefined ? undefined : { name, isClose: opened === undefined };
}

/** The attributes of an opening tag with its name; undefined for other Markdown. */
export function legacyApiAttributes(markdown: string): { tag: string; attributes: Attributes } | undefined {
  const [, tag, written = ''] = TAG.exec(markdown) ?? [];
  const attributes = tag === undefined ? undefined : parseAttributes(written.trimEnd());
  return tag === undefined || !attributes ? undefined : { tag, attributes };
}

/** A paragraph with what an opening tag says; undefined for others, and where it says nothing. */
export function legacyApiPart(markdown: string): Block | undefined {
  const { tag, attributes } = legacyApiAttributes(markdown) ?? {};
  if (tag === undefined || !attributes) return undefined;
  const leaves = partsOf(tag, attributes).flatMap(([text, ...marks]): Leaf[] =>
    text === '' ? [] : [{ object: 'leaf', text, marks: marks.map(markOf) }],
  );
  return leaves.length > 0 ? paragraph([{ object: 'text', leaves }]) : undefined;
}

function partsOf(tag: string, attributes: Attributes): Part[] {
  const of = (name: string) => unescapeAll(attributes.get(name) ?? '').trim();
  switch (tag) {
    case 'swagger':
    case 'api-method': {
      const method = of('method').toUpperCase();
      if (method === '') return [];
      const summary = of('summary');
      return [
        [summary, 'bold'],
        [summary && '\n'],
        [method, 'bold', 'code'],
        [' '],
        [of('baseUrl') + of('host') + of('path'), 'code'],
      ];
    }
    case 'swagger-parameter':
    case 'api-method-parameter': {
      const details = [of('type'), of('in')].filter((detail) => detail !== '').join(', ');
      return [
        [of('name'), 'code'],
        [of('required') === 'true' ? '*' : '', REQUIRED],
        [details && ` ${details}`, 'italic'],
      ];
    }
    case 'swagger-response':
    case 'api-method-response-example': {
      const description = of('description');
      return [[of('status') + of('httpCode'), 'bold'], [description && ` ${description}`]];
    }
    default: {
      const label = (LABELLED.exec(tag)?.[1] ?? '').replaceAll('-', ' ');
      return [[label.charAt(0).toUpperCase() + label.slice(1), 'bold']];
    }
  }
}

const markOf = (mark: Mark['type'] | Mark): Mark =>
  typeof mark === 'string' ? { object: 'mark', type: mark } : mark;
