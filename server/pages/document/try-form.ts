import type { SpecReader } from '../../../routers/engine/specs/spec-reader.ts';
import type { Fields } from '../../../routers/engine/values.ts';
import { type Html, html } from '../../http/html.ts';
import { valueText } from '../assets/parameters.js';
import { uiIcon } from '../icons.ts';
import type { Texts } from '../languages/texts.ts';
import { cspOrigin } from '../policy.ts';
import { exampleValue, formatOf, type ParameterFormat } from './parameters.ts';
import type { FormField, RequestBody } from './request-body.ts';
import type { OperationRequest } from './samples.ts';
import {
  type Alternative,
  alternativeTitle,
  type Credential,
  credentialOf,
  isSendable,
  isSendableHeader,
  type Scheme,
} from './security.ts';

/** Maximum number of origins that the forms of one page send to. */
const MAX_ORIGINS = 20;

/**
 * Renders a form that sends a request from the reader's browser, by a script of the service: without cookies, and only to the
 * servers of the spec, which the policy of the page allows. Undefined if the policy can name none of them.
 */
export function renderTryForm(
  reader: SpecReader,
  texts: Texts,
  { method, path, servers, parameters, body, alternatives }: OperationRequest,
  origins: Set<string>,
): Html | undefined {
  const allowedServers = servers.filter((server) => {
    const origin = cspOrigin(server);
    if (origin === undefined || (origins.size >= MAX_ORIGINS && !origins.has(origin))) return false;
    origins.add(origin);
    return true;
  });
  if (allowedServers.length === 0) return undefined;
  const { tryIt } = texts;
  const isSendableParameter = ({ in: place, name }: Fields) =>
    place !== 'cookie' && (place !== 'header' || isSendableHeader(String(name)));
  const sentBody = method === 'get' || method === 'head' ? undefined : body;
  return html`<details class="expandable try" hidden><summary>${uiIcon('next')}<span>${tryIt.title}</span></summary><form data-method="${method.toUpperCase()}" data-path="${path}"${sentBody && html` data-type="${sentBody.type}"`} data-texts="${JSON.stringify(tryIt)}" novalidate>
${
  allowedServers.length > 1
    ? html`<label>${tryIt.server}<select name="server">${allowedServers.map((server) => html`<option>${server}</option>`)}</select></label>`
    : html`<input type="hidden" name="server" value="${allowedServers[0]}">`
}
${renderAuthorization(alternatives, texts)}
${parameters.map((parameter) => (isSendableParameter(parameter) ? renderField(reader, parameter, texts) : renderNotSendable(String(parameter.name), texts)))}
${sentBody && renderBody(sentBody, texts)}
<p class="try-to">${tryIt.sentTo} <code></code></p>
<p class="fact" dir="auto">${tryIt.directNotice}</p>
<button class="button primary">${tryIt.send}</button>
<div class="try-response" role="status"></div>
</form></details>`;
}

/** Renders the credentials: the fields of one alternative at a time, at first of the first one. */
function renderAuthorization(alternatives: readonly Alternative[], texts: Texts): Html | undefined {
  if (!alternatives.some(({ length }) => length > 0)) return undefined;
  const titles = alternatives.map((schemes) => alternativeTitle(schemes, texts));
  const choice =
    titles.length > 1 &&
    html`<label>${texts.authorization}<select name="authorization">${titles.map((title, index) => html`<option value="${index}">${title}</option>`)}</select></label>`;
  return html`${choice}${alternatives.map(
    (schemes, index) =>
      html`<fieldset aria-label="${titles[index]}"${index > 0 && html` disabled hidden`}>${schemes.map((scheme) => schemeFields(scheme, texts))}</fieldset>`,
  )}`;
}

function schemeFields(scheme: Scheme, texts: Texts): Html {
  const [credential] = credentialOf(scheme);
  if (!credential || !isSendable(credential)) return renderNotSendable(scheme.name, texts);
  const { tryIt } = texts;
  const attributes = renderAttributes(credential);
  if (credential.prefix === 'Basic')
    return html`<div class="basic"><label>${tryIt.userName} <small>Basic</small><input type="text" autocomplete="off" spellcheck="false"${attributes}></label><label>${tryIt.password}<input type="password" autocomplete="off"></label></div>`;
  const { name, prefix } = credential;
  return html`<label>${tryIt.token} <small>${name}${prefix && ` · ${prefix}`}</small><input type="password" autocomplete="off"${attributes}></label>`;
}

const renderAttributes = ({ in: place, name, prefix }: Credential): Html =>
  html` data-in="${place}" data-name="${name}"${prefix !== '' && html` data-prefix="${prefix}"`}`;

const renderNotSendable = (name: string, { tryIt }: Texts): Html =>
  html`<p class="fact"><code>${name}</code>: <bdi>${tryIt.notSendable}</bdi></p>`;

function renderBody(body: RequestBody, texts: Texts): Html {
  const head = html`${texts.body} <small>${body.type}</small>`;
  switch (body.kind) {
    case 'text':
      return html`<label>${head}<textarea rows="6" spellcheck="false" data-in="body">${body.text}</textarea></label>`;
    case 'file':
      return html`<label>${head}<input type="file" data-in="body"></label>`;
    case 'form':
      return html`<p class="fact">${head}</p>${body.fields.map((field) => renderFormField(field, texts))}`;
  }
}

function renderFormField({ name, isRequired, isFile, isList, ...field }: FormField, texts: Texts): Html {
  if (!isFile) return renderInput({ ...field, place: 'form', name, isRequired }, texts);
  return html`<label>${fieldName(name, isRequired, texts)}<input type="file" data-in="form" data-name="${name}"${isList && html` multiple`}${isRequired && html` required`}></label>`;
}

const renderField = (reader: SpecReader, parameter: Fields, texts: Texts): Html =>
  renderInput(
    {
      place: String(parameter.in),
      name: String(parameter.name),
      isRequired: parameter.in === 'path' || parameter.required === true,
      values: reader.resolve(parameter.schema ?? parameter).enum,
      format: formatOf(reader, parameter),
      example: exampleValue(reader, parameter),
    },
    texts,
  );

interface Input {
  place: string;
  name: string;
  isRequired: boolean;
  /** The allowed values, if it is a list of them. */
  values: unknown;
  format: ParameterFormat;
  example: unknown;
}

function renderInput({ place, name, isRequired, values, format, example }: Input, texts: Texts): Html {
  const { shape, style, explode } = format;
  const attributes = html` data-in="${place}" data-name="${name}" data-shape="${shape}" data-style="${style}"${explode && html` data-explode`}${isRequired && html` required`}`;
  const input = Array.isArray(values)
    ? html`<select${attributes}>${!isRequired && html`<option value=""></option>`}${values.slice(0, 200).map((value) => html`<option>${String(value)}</option>`)}</select>`
    : html`<input type="text" autocomplete="off" spellcheck="false"${attributes} placeholder="${valueText(example).slice(0, 200)}">`;
  return html`<label>${fieldName(name, isRequired, texts)}${input}</label>`;
}

const fieldName = (name: string, isRequired: boolean, texts: Texts): Html =>
  html`<code>${name}</code>${isRequired && html` <small>${texts.required}</small>`}`;
