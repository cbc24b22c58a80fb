import { type Constraint, factsOf, type SchemaFacts } from '../../../routers/engine/specs/constraints.ts';
import type { SpecReader } from '../../../routers/engine/specs/spec-reader.ts';
import { type Html, html } from '../../http/html.ts';
import type { Texts } from '../languages/texts.ts';

/** Renders what a schema says about its values besides their type. */
export function renderFacts(reader: SpecReader, texts: Texts, given: unknown): Html | undefined {
  const facts = factsOf(reader, given);
  return facts && renderList(texts, facts);
}

function renderList(
  texts: Texts,
  { constraints, defaultValue, allowedValues, omittedValues, items }: SchemaFacts,
): Html {
  return html`${
    constraints.length > 0 &&
    html`<p class="fact constraints">${constraints.map((constraint) => html`${renderConstraint(texts, constraint)} `)}</p>`
  }${defaultValue !== undefined && html`<p class="fact"><bdi>${texts.defaultValue}:</bdi> <code>${defaultValue}</code></p>`}${
    allowedValues.length > 0 &&
    html`<p class="fact"><bdi>${texts.allowedValues}:</bdi> ${codes(allowedValues)}${omittedValues > 0 && html` <bdi>… (+${omittedValues})</bdi>`}</p>`
  }${items && html`<div class="item-facts"><p class="fact">${texts.eachItem}</p>${renderList(texts, items)}</div>`}`;
}

const renderConstraint = (texts: Texts, { name, values }: Constraint): Html =>
  html`<span><bdi>${texts.constraints[name]}${values.length > 0 && ':'}</bdi>${values.length > 0 && html` ${codes(values)}`}</span>`;

const codes = (values: readonly string[]): Html[] =>
  values.map((text, index) => html`${index > 0 && ' '}<code>${text}</code>`);
