import { safeHref } from '../../../routers/engine/document/safe-href.ts';
import {
  type GivenExample,
  givenExamplesOf,
  type MediaGroup,
} from '../../../routers/engine/specs/media-types.ts';
import { exampleOf, mediaOf, type SpecReader } from '../../../routers/engine/specs/spec-reader.ts';
import { type Html, html } from '../../http/html.ts';
import { uiIcon } from '../icons.ts';
import type { Texts } from '../languages/texts.ts';
import { isFileMedia } from './request-body.ts';
import { renderDescription, renderWholeSchema } from './schemas.ts';

/** Renders the names of media types that have the same schema; of different schemas, they are the titles of tabs. */
export const renderTypes = ([first, ...others]: readonly MediaGroup[]): Html | undefined =>
  first && others.length === 0 ? html`<span class="type">${first.types.join(', ')}</span>` : undefined;

/** Renders the schemas of the media types of a body or a response, in tabs if they differ. */
export function renderMedia(
  reader: SpecReader,
  texts: Texts,
  [first, ...others]: readonly MediaGroup[],
): Html | undefined {
  if (!first) return undefined;
  if (others.length === 0) return renderWholeSchema(reader, texts, first.schema);
  return renderTabs(
    [first, ...others].map(({ types, schema }) => ({
      title: types.join(', '),
      content: renderWholeSchema(reader, texts, schema),
    })),
  );
}

/** Renders the examples of a body if the spec gives several. The code of requests contains the first one. */
export function renderBodyExamples(reader: SpecReader, texts: Texts, content: unknown): Html | undefined {
  const examples = textExamplesOf(reader, content);
  return examples.length > 1 ? renderExamples(reader, texts, texts.body, examples) : undefined;
}

/** Renders the examples that the spec gives. */
export function renderGivenExamples(
  reader: SpecReader,
  texts: Texts,
  caption: string,
  content: unknown,
): Html | undefined {
  return renderExamples(reader, texts, caption, textExamplesOf(reader, content));
}

/** Renders the examples of a response that the spec gives, after one that is made if there is none of the media type to display. */
export function renderAllExamples(
  reader: SpecReader,
  texts: Texts,
  caption: string,
  content: unknown,
): Html | undefined {
  const media = mediaOf(reader, content);
  if (!media) return undefined;
  const given = textExamplesOf(reader, content);
  if (isFileMedia(reader, media) || given.some(({ type }) => type === media.type))
    return renderExamples(reader, texts, caption, given);
  const made = {
    ...media,
    title: undefined,
    describedBy: {},
    value: exampleOf(reader, media.schema),
    externalValue: undefined,
  };
  return renderExamples(reader, texts, caption, [made, ...given]);
}

/** The examples that are not files. */
const textExamplesOf = (reader: SpecReader, content: unknown): GivenExample[] =>
  givenExamplesOf(reader, content).filter(({ type, schema }) => !isFileMedia(reader, { type, schema }));

/** Renders examples, in tabs if there are several. */
function renderExamples(
  reader: SpecReader,
  texts: Texts,
  caption: string,
  examples: readonly GivenExample[],
): Html | undefined {
  const [first, ...others] = examples;
  if (!first) return undefined;
  if (others.length === 0) return renderExample(texts, caption, first);
  const isOfSeveralTypes = others.some(({ type }) => type !== first.type);
  return renderTabs(
    examples.map((example) => ({
      title: [example.title, (isOfSeveralTypes || example.title === undefined) && example.type]
        .filter(Boolean)
        .join(' · '),
      content: html`${renderDescription(reader, example.describedBy)}${renderExample(texts, caption, example)}`,
    })),
  );
}

function renderExample(texts: Texts, caption: string, { value, externalValue = '' }: GivenExample): Html {
  if (value === undefined) {
    // A relative address would be one of the spec, not of the page.
    const href = /^https?:/i.test(externalValue) ? safeHref(externalValue) : undefined;
    return html`<p>${href ? html`<a href="${href}">${externalValue}</a>` : html`<code>${externalValue}</code>`}</p>`;
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return html`<figure class="code"><figcaption>${caption}</figcaption><pre tabindex="0"><code>${text}</code></pre><button type="button" class="copy" hidden aria-label="${texts.copyCode}">${uiIcon('copy')}</button></figure>`;
}

/** Without JavaScript, the tabs are shown one below the other, under their titles. */
const renderTabs = (tabs: readonly { title: string; content: Html }[]): Html =>
  html`<div class="tabs">${tabs.map(({ title, content }) => html`<section class="tab" data-title="${title}"><p class="tab-title"><bdi>${title}</bdi></p>${content}</section>`)}</div>`;
