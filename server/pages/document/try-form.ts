import { type Fields, fieldsOf, type SpecReader } from '../../../routers/engine/specs/spec-reader.ts';
import { type Html, html } from '../../http/html.ts';
import { uiIcon } from '../icons.ts';
import type { Texts } from '../languages/texts.ts';
import { namedOrigin } from '../policy.ts';
import { bodyText, exampleText, type OperationRequest } from './samples.ts';
import {
  type Alternative,
  type Credential,
  credentialOf,
  isSendable,
  isSendableHeader,
  type Scheme,
  titleOfAlternative,
} from './security.ts';

/** Most origins that the forms of one page send to. */
const MAX_ORIGINS = 20;

/**
 * A form that sends a request from the browser of its reader, by a script of the service: to the servers of the document
 * alone, which the policy of the page names, and without cookies. Undefined where no server can be named.
 */
export function tryForm(
  reader: SpecReader,
  texts: Texts,
  { method, path, servers, parameters, sent, alternatives }: OperationRequest,
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
  const isSent = ({ in: place, name }: Fields) =>
    place !== 'cookie' && (place !== 'header' || isSendableHeader(String(name)));
  const hasBody = body !== undefined && method !== 'get' && method !== 'head';
  return html`<details class="expandable try" hidden><summary>${uiIcon('next')}<span>${tryIt.title}</span></summary><form data-method="${method.toUpperCase()}" data-path="${path}" data-texts="${JSON.stringify(tryIt)}" novalidate>
${
  reached.length > 1
    ? html`<label>${tryIt.server}<select name="server">${reached.map((server) => html`<option>${server}</option>`)}</select></label>`
    : html`<input type="hidden" name="server" value="${reached[0]}">`
}
${authorization(alternatives, texts)}
${parameters.map((parameter) => (isSent(parameter) ? field(reader, parameter, texts) : notSent(String(parameter.name), texts)))}
${hasBody && html`<label>${texts.body} <small>${sent?.type}</small><textarea rows="6" spellcheck="false" data-in="body" data-type="${sent?.type}">${body}</textarea></label>`}
<p class="try-to">${tryIt.sentTo} <code></code></p>
<p class="fact">${tryIt.isDirect}</p>
<button class="button primary">${tryIt.send}</button>
<div class="try-answer" role="status"></div>
</form></details>`;
}

/** What authorizes: the fields of one alternative, the first one to begin with. */
function authorization(alternatives: readonly Alternative[], texts: Texts): Html | undefined {
  if (!alternatives.some(({ length }) => length > 0)) return undefined;
  const titles = alternatives.map((schemes) => titleOfAlternative(schemes, texts));
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
  if (!credential || !isSendable(credential)) return notSent(scheme.name, texts);
  const { tryIt } = texts;
  const attributes = attributesOf(credential);
  if (credential.prefix === 'Basic')
    return html`<div class="basic"><label>${tryIt.userName} <small>Basic</small><input type="text" autocomplete="off" spellcheck="false"${attributes}></label><label>${tryIt.password}<input type="password" autocomplete="off"></label></div>`;
  const { name, prefix } = credential;
  return html`<label>${tryIt.token} <small>${name}${prefix && ` · ${prefix}`}</small><input type="password" autocomplete="off"${attributes}></label>`;
}

const attributesOf = ({ in: place, name, prefix }: Credential): Html =>
  html` data-in="${place}" data-name="${name}"${prefix !== '' && html` data-prefix="${prefix}"`}`;

const notSent = (name: string, { tryIt }: Texts): Html =>
  html`<p class="fact"><code>${name}</code>: ${tryIt.notSent}</p>`;

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
