import {
  alternativesOf,
  MAX_DEPTH,
  mediaOf,
  requiredOf,
  type SpecReader,
  shownPropertiesOf,
  typeText,
} from '../../../routers/engine/specs/spec-reader.ts';
import type { Fields } from '../../../routers/engine/values.ts';
import { Html, html } from '../../http/html.ts';
import type { Texts } from '../languages/texts.ts';
import { renderFacts } from './facts.ts';

/** The description of a part of a spec. It was converted to HTML, without the author's own HTML, when the spec was stored. */
export function descriptionOf(value: Fields): Html | undefined {
  const descriptionHtml = value['x-gitbook-description-html'];
  if (typeof descriptionHtml === 'string') return new Html(descriptionHtml);
  return typeof value.description === 'string' && value.description !== ''
    ? html`<p>${value.description}</p>`
    : undefined;
}

/** Renders the description of a part of a spec if there is room for it. */
export function renderDescription(reader: SpecReader, value: Fields): Html | undefined {
  // guard: page-descriptions-length
  if (!reader.spendText(value['x-gitbook-description-html'] ?? value.description ?? '')) return undefined;
  const description = descriptionOf(value);
  return description && html`<div class="description">${description}</div>`;
}

/** Renders a named value with its type, its description and its nested properties. */
function renderProperty(
  reader: SpecReader,
  texts: Texts,
  { name, schema: given, isRequired, description, isDeprecated, depth }: Property,
): Html {
  if (!reader.spendPart() || !reader.spendText(name)) return html``;
  const schema = reader.resolve(given);
  return html`<li class="property"><div class="property-head"><code class="property-name">${name}</code> <span class="type">${typeText(reader, given)}</span>${
    isRequired && html` <span class="required">${texts.required}</span>`
  }${(isDeprecated || schema.deprecated === true) && html` <span class="deprecated">${texts.deprecated}</span>`}</div>${
    description ?? renderDescription(reader, schema)
  }${renderFacts(reader, texts, given)}${renderNested(reader, texts, given, depth + 1)}</li>`;
}

/** Renders a parameter, or a header of a response, which is described like one. */
export const renderParameter = (reader: SpecReader, texts: Texts, name: string, parameter: Fields): Html =>
  renderProperty(reader, texts, {
    name,
    schema: parameter.schema ?? mediaOf(reader, parameter.content)?.schema ?? parameter,
    isRequired: parameter.required === true,
    description: renderDescription(reader, parameter),
    isDeprecated: parameter.deprecated === true,
    depth: 0,
  });

interface Property {
  name: string;
  schema: unknown;
  isRequired: boolean;
  description?: Html | undefined;
  isDeprecated?: boolean;
  depth: number;
}

/** Renders the contents of an object or list, folded. */
function renderNested(reader: SpecReader, texts: Texts, given: unknown, depth: number): Html | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const inner = renderSchema(reader, texts, given, depth);
  if (!inner) return undefined;
  const name = typeText(reader, given) || 'object';
  return html`<details class="nested"><summary><bdi>${name}</bdi></summary>${inner}</details>`;
}

/** Renders a schema that has no name of its own: its type or its contents, and what it says about its values. */
export function renderWholeSchema(reader: SpecReader, texts: Texts, given: unknown): Html {
  const facts = renderFacts(reader, texts, given);
  const inner = renderSchema(reader, texts, given);
  if (inner) return html`${facts}${inner}`;
  const type = typeText(reader, given);
  return html`${type !== '' && html`<p><span class="type">${type}</span></p>`}${facts}`;
}

/** Renders the properties of a schema, or its alternatives; undefined if it has neither. */
function renderSchema(reader: SpecReader, texts: Texts, given: unknown, depth = 0): Html | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const schema = reader.resolve(given);
  if (schema.items !== undefined) return renderSchema(reader, texts, schema.items, depth + 1);
  const required = new Set(requiredOf(reader, schema));
  const rendered = shownPropertiesOf(reader, schema).map(([name, inner]) =>
    renderProperty(reader, texts, { name, schema: inner, isRequired: required.has(name), depth }),
  );
  const choices = alternativesOf(reader, schema)
    ?.slice(0, 20)
    .map((one, index) => {
      if (!reader.spendPart()) return html``;
      const facts = renderFacts(reader, texts, one);
      const inner = renderSchema(reader, texts, one, depth + 1);
      const label = typeText(reader, one) || String(index + 1);
      return inner
        ? html`<li class="property"><details class="nested"><summary><bdi>${label}</bdi></summary>${renderDescription(reader, reader.resolve(one))}${facts}${inner}</details></li>`
        : html`<li class="property"><span class="type">${label}</span>${facts}</li>`;
    });
  if (rendered.length === 0 && !choices) return undefined;
  return html`${rendered.length > 0 && html`<ul class="properties">${rendered}</ul>`}${choices && html`<p class="fact">${texts.oneOf}</p><ul class="properties">${choices}</ul>`}`;
}
