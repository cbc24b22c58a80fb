import { headersOf, responsesOf } from '../../../routers/engine/specs/operation-reader.ts';
import { type Fields, mediaOf, type SpecReader } from '../../../routers/engine/specs/spec-reader.ts';
import { Html, html } from '../../http/html.ts';
import { uiIcon } from '../icons.ts';
import type { Texts } from '../languages/texts.ts';
import { descriptionOf, renderParameter, renderWholeSchema } from './schemas.ts';

/** Matches the first paragraph of a description if it is short, and has nothing to click that a click on a summary would hide. */
const FIRST_PARAGRAPH = /^<p>((?:(?!<\/p>|<a\s|<img\s)[\s\S]){1,500})<\/p>\s*/;

/** Renders the responses of an operation: those of which there is more to say than one paragraph are folded. */
export function renderResponses(reader: SpecReader, texts: Texts, operation: Fields): Html {
  const rendered = responsesOf(operation).map(([status, given]) => {
    const response = reader.resolve(given);
    const { first, rest } = splitDescription(reader, response);
    const media = mediaOf(reader, response.content);
    const inner = [
      rest,
      renderHeaders(reader, texts, response),
      media && renderWholeSchema(reader, texts, media.schema),
    ].filter((part) => part !== undefined);
    const title = html`<span><span class="status ${/^\d/.test(status) && `of-${status[0]}`}">${status}</span> ${first}</span>`;
    return inner.length > 0
      ? html`<details class="expandable response"><summary>${uiIcon('next')}${title}</summary><div>${inner}</div></details>`
      : html`<div class="expandable response"><p>${title}</p></div>`;
  });
  return html`<div class="responses">${rendered}</div>`;
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
