import { type Fields, fieldsOf, type SpecReader } from '../../../routers/engine/specs/spec-reader.ts';
import { type Html, html } from '../../http/html.ts';
import { uiIcon } from '../icons.ts';
import type { Texts } from '../languages/texts.ts';
import { namedOrigin } from '../policy.ts';
import { authorizationHeader, bodyText, exampleText, isBasic, type OperationRequest } from './samples.ts';

/** Most origins that the forms of one page send to. */
const MAX_ORIGINS = 20;

/**
 * A form that sends a request from the browser of its reader, by a script of the service: to the servers of the document
 * alone, which the policy of the page names, and without cookies. Undefined where no server can be named.
 */
export function tryForm(
  reader: SpecReader,
  texts: Texts,
  { method, path, servers, parameters, sent, schemes }: OperationRequest,
  origins: Set<string>,
): Html | undefined {
  const reached = servers.filter((server) => {
    const origin = namedOrigin(server);
    if (origin === undefined || (origins.size >= MAX_ORIGINS && !origins.has(origin))) return false;
    origins.add(origin);
    return true;
  });
  if (reached.length === 0) return undefined;
  const { tryIt } = texts;
  const body = bodyText(reader, sent);
  const hasBody = body !== undefined && method !== 'get' && method !== 'head';
  return html`<details class="expandable try" hidden><summary>${uiIcon('next')}<span>${tryIt.title}</span></summary><form data-method="${method.toUpperCase()}" data-path="${path}" data-texts="${JSON.stringify(tryIt)}" novalidate>
${
  reached.length > 1
    ? html`<label>${tryIt.server}<select name="server">${reached.map((server) => html`<option>${server}</option>`)}</select></label>`
    : html`<input type="hidden" name="server" value="${reached[0]}">`
}
${schemes.slice(0, 1).map(({ scheme }) => authorization(scheme, texts))}
${parameters.filter(({ in: place }) => place !== 'cookie').map((parameter) => field(reader, parameter, texts))}
${hasBody && html`<label>${texts.body} <small>${sent?.type}</small><textarea rows="6" spellcheck="false" data-in="body" data-type="${sent?.type}">${body}</textarea></label>`}
<p class="try-to">${tryIt.sentTo} <code></code></p>
<p class="fact">${tryIt.isDirect}</p>
<button class="button primary">${tryIt.send}</button>
<div class="try-answer" role="status"></div>
</form></details>`;
}

/** What authorizes: a header, or a part of the query. */
function authorization(scheme: Fields, texts: Texts): Html | undefined {
  const [header] = authorizationHeader(scheme);
  const isInQuery = scheme.type === 'apiKey' && scheme.in === 'query';
  if (!header && !isInQuery) return undefined;
  const [name = String(scheme.name)] = header ?? [];
  const kind =
    name !== 'Authorization' || scheme.type === 'apiKey' ? '' : isBasic(scheme) ? 'basic' : 'bearer';
  return html`<label>${texts.tryIt.token} <small>${name}${kind && ` · ${kind === 'basic' ? 'Basic' : 'Bearer'}`}</small><input type="password" autocomplete="off" data-in="${isInQuery ? 'query' : 'header'}" data-name="${name}" data-kind="${kind}"${kind === 'basic' && html` placeholder="name:password"`}></label>`;
}

function field(reader: SpecReader, parameter: Fields, texts: Texts): Html {
  const { in: place, name } = parameter;
  const isRequired = place === 'path' || parameter.required === true;
  const { enum: values } = reader.resolve(fieldsOf(parameter).schema ?? parameter);
  const attributes = html` data-in="${String(place)}" data-name="${String(name)}"${isRequired && html` required`}`;
  const input = Array.isArray(values)
    ? html`<select${attributes}>${!isRequired && html`<option value=""></option>`}${values.slice(0, 200).map((value) => html`<option>${String(value)}</option>`)}</select>`
    : html`<input type="text" autocomplete="off" spellcheck="false"${attributes} placeholder="${exampleText(reader, parameter)?.slice(0, 200)}">`;
  return html`<label><code>${String(name)}</code>${isRequired && html` <small>${texts.required}</small>`}${input}</label>`;
}
