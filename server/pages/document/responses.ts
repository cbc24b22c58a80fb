import { mediaGroupsOf } from '../../../routers/engine/specs/media-types.ts';
import { headersOf, responsesOf } from '../../../routers/engine/specs/operation-reader.ts';
import type { SpecReader } from '../../../routers/engine/specs/spec-reader.ts';
import type { Fields } from '../../../routers/engine/values.ts';
import { Html, html } from '../../http/html.ts';
import { uiIcon } from '../icons.ts';
import type { Texts } from '../languages/texts.ts';
import { renderAllExamples, renderGivenExamples, renderMedia, renderTypes } from './media.ts';
import { descriptionOf, renderParameter } from './schemas.ts';

/** Matches the first paragraph of a description if it is short, and has nothing to click that a click on a summary would hide. */
const FIRST_PARAGRAPH = /^<p>((?:(?!<\/p>|<a\s|<img\s)[\s\S]){1,500})<\/p>\s*/;

/** A response without its examples. */
interface DescribedResponse {
  status: string;
  response: Fields;
  title: Html;
  parts: readonly Html[];
}

/** Renders the descriptions, headers and schemas of the responses of an operation. */
export const describeResponses = (reader: SpecReader, texts: Texts, operation: Fields): DescribedResponse[] =>
  responsesOf(operation).map(([status, given]) => {
    const response = reader.resolve(given);
    const { first, rest } = splitDescription(reader, response);
    const headers = renderHeaders(reader, texts, response);
    const groups = mediaGroupsOf(reader, response.content);
    const types = renderTypes(groups);
    return {
      status,
      response,
      title: html`<span><span class="status ${/^\d/.test(status) && `of-${status[0]}`}">${status}</span> ${first}</span>`,
      parts: [
        rest,
        headers,
        types && html`<p class="media-types">${types}</p>`,
        renderMedia(reader, texts, groups),
      ].filter((part) => part !== undefined),
    };
  });

/** The first successful response, of which an example is shown beside the operation. */
export const sampledResponse = (responses: readonly DescribedResponse[]): DescribedResponse | undefined =>
  responses.find(({ status }) => status.startsWith('2'));

/** Renders an example of a response, or all that the spec gives. */
export const renderResponseSample = (
  reader: SpecReader,
  texts: Texts,
  { status, response }: DescribedResponse,
): Html | undefined => renderAllExamples(reader, texts, `${texts.response} ${status}`, response.content);

/**
 * Renders the responses with the examples that the spec gives.
 * @param sampled the one whose examples are shown beside the operation
 */
export const renderResponses = (
  reader: SpecReader,
  texts: Texts,
  responses: readonly DescribedResponse[],
  sampled?: DescribedResponse,
): Html =>
  html`<div class="responses">${responses.map((described) => {
    const { status, response } = described;
    const examples =
      described === sampled
        ? undefined
        : renderGivenExamples(reader, texts, `${texts.response} ${status}`, response.content);
    return renderResponse(described, examples);
  })}</div>`;

/** Renders a response, folded if there is more to say of it than one paragraph. */
function renderResponse({ title, parts }: DescribedResponse, examples: Html | undefined): Html {
  return parts.length > 0 || examples
    ? html`<details class="expandable response"><summary>${uiIcon('next')}${title}</summary><div>${parts}${examples}</div></details>`
    : html`<div class="expandable response"><p>${title}</p></div>`;
}

/** Splits a description into what stands beside the status, which is always short, and what is folded. */
function splitDescription(reader: SpecReader, response: Fields): Record<'first' | 'rest', Html | undefined> {
  const text = descriptionOf(response)?.text ?? '';
  const [paragraph = '', first] = FIRST_PARAGRAPH.exec(text) ?? [];
  const rest = text.slice(paragraph.length);
  return {
    first: first === undefined ? undefined : new Html(first),
    rest:
      rest === '' || !reader.spendText(rest) ? undefined : new Html(`<div class="description">${rest}</div>`),
  };
}

function renderHeaders(reader: SpecReader, texts: Texts, response: Fields): Html | undefined {
  const headers = headersOf(reader, response);
  if (headers.length === 0) return undefined;
  return html`<p class="response-part">${texts.headers}</p><ul class="properties">${headers.map(([name, header]) => renderParameter(reader, texts, name, header))}</ul>`;
}
