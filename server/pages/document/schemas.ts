import {
  type Fields,
  MAX_DEPTH,
  propertiesOf,
  requiredOf,
  type SpecReader,
  typeText,
  valueText,
} from '../../../routers/engine/specs/spec-reader.ts';
import { Html, html } from '../../http/html.ts';
import type { Texts } from '../languages/texts.ts';

/** Descriptions were made into HTML when the specification was stored, without any HTML of its author. */
export function described(value: Fields): Html | undefined {
  const made = value['x-gitbook-description-html'];
  if (typeof made === 'string') return new Html(`<div class="said">${made}</div>`);
  return typeof value.description === 'string' && value.description !== ''
    ? html`<div class="said"><p>${value.description}</p></div>`
    : undefined;
}

/** One named value with its type, what is said of it, and what it consists of. */
export function property(
  reader: SpecReader,
  texts: Texts,
  { name, schema: given, isRequired, said, isDeprecated, depth }: Property,
): Html {
  if (!reader.take()) return html``;
  const schema = reader.resolve(given);
  const values = Array.isArray(schema.enum) ? schema.enum.slice(0, 50) : [];
  return html`<li class="property"><div class="property-head"><code class="property-name">${name}</code> <span class="type">${typeText(reader, given)}</span>${
    isRequired && html` <span class="required">${texts.required}</span>`
  }${(isDeprecated || schema.deprecated === true) && html` <span class="deprecated">${texts.deprecated}</span>`}</div>${
    said ?? described(schema)
  }${schema.default !== undefined && html`<p class="fact">${texts.defaultValue}: <code>${valueText(schema.default)}</code></p>`}${
    values.length > 0 &&
    html`<p class="fact">${texts.allowedValues}: ${values.map((value) => html`<code>${valueText(value)}</code> `)}</p>`
  }${nested(reader, texts, given, depth + 1)}</li>`;
}

interface Property {
  name: string;
  schema: unknown;
  isRequired: boolean;
  said?: Html | undefined;
  isDeprecated?: boolean;
  depth: number;
}

/** What an object or list consists of, folded. */
function nested(reader: SpecReader, texts: Texts, given: unknown, depth: number): Html | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const inner = parts(reader, texts, given, depth);
  if (!inner) return undefined;
  const name = typeText(reader, given) || 'object';
  return html`<details class="nested"><summary>${name}</summary>${inner}</details>`;
}

/** The properties of a schema, or its alternatives; undefined for one that has none. */
export function parts(reader: SpecReader, texts: Texts, given: unknown, depth = 0): Html | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const schema = reader.resolve(given);
  if (schema.items !== undefined) return parts(reader, texts, schema.items, depth + 1);
  const properties = propertiesOf(reader, schema);
  const required = new Set(requiredOf(reader, schema));
  const drawn = Object.entries(properties).map(([name, inner]) =>
    property(reader, texts, { name, schema: inner, isRequired: required.has(name), depth }),
  );
  const alternatives = [schema.oneOf, schema.anyOf].find(Array.isArray) as unknown[] | undefined;
  const choices = alternatives?.slice(0, 20).map((one, index) => {
    if (!reader.take()) return html``;
    const inner = parts(reader, texts, one, depth + 1);
    const label = typeText(reader, one) || String(index + 1);
    return inner
      ? html`<li class="property"><details class="nested"><summary>${label}</summary>${described(reader.resolve(one))}${inner}</details></li>`
      : html`<li class="property"><span class="type">${label}</span></li>`;
  });
  if (drawn.length === 0 && !choices) return undefined;
  return html`${drawn.length > 0 && html`<ul class="properties">${drawn}</ul>`}${choices && html`<p class="fact">${texts.oneOf}</p><ul class="properties">${choices}</ul>`}`;
}
