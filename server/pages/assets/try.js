// Sends the requests of the "Try it" forms of API operations directly from the browser to the server of the form.

import { parseValue, queryEncoded, serialize } from './parameters.js';

/** How long a response may take, in milliseconds, and how much of it is shown, in characters. */
const TIMEOUT = 30_000;
const MAX_SHOWN = 100_000;

/** The enabled fields; those of the other ways to authorize are disabled. */
// guard: try-chosen-authorization
const fieldsIn = (form, place) => [...form.querySelectorAll(`[data-in=${place}]:enabled`)];

/** The text that a field sends; empty if it is not filled in. */
function textOf(field) {
  const { value } = field;
  const { prefix } = field.dataset;
  if (prefix !== 'Basic') return prefix && value !== '' ? `${prefix} ${value}` : value;
  const pair = `${value}:${field.closest('.basic').querySelector('[type=password]').value}`;
  return pair === ':' ? '' : `Basic ${btoa(String.fromCodePoint(...new TextEncoder().encode(pair)))}`;
}

/** A field of a parameter or a credential, as it is written in a request with a value. */
function writtenField({ dataset }, text, encode) {
  const { name, shape = 'value', style = dataset.in === 'query' ? 'form' : 'simple' } = dataset;
  const format = { style, explode: 'explode' in dataset };
  return serialize(name, parseValue(text, shape), format, encode);
}

const filled = (form, place) => fieldsIn(form, place).filter((field) => textOf(field) !== '');

/** The URL of the request; for display, credentials are masked. */
function urlOf(form, isDisplay) {
  let { path } = form.dataset;
  for (const field of filled(form, 'path'))
    path = path.replaceAll(`{${field.dataset.name}}`, () =>
      writtenField(field, field.value, encodeURIComponent),
    );
  const query = [];
  for (const field of filled(form, 'query')) {
    // guard: try-password-hidden
    const text = isDisplay && field.type === 'password' ? '***' : field.value;
    query.push(writtenField(field, text, queryEncoded));
  }
  const written = query.filter((part) => part !== '').join('&');
  return form.elements.server.value + path + (written && `?${written}`);
}

/** @throws TypeError for text that is not valid in a header */
function headersOf(form) {
  const headers = new Headers();
  for (const field of filled(form, 'header'))
    headers.set(field.dataset.name, writtenField(field, textOf(field), String));
  const { type } = form.dataset;
  // The browser adds the type of a multipart body itself, with the boundary between its parts.
  if (type && !isMultipart(type) && hasBody(form)) headers.set('content-type', type);
  return headers;
}

const isMultipart = (type) => type.startsWith('multipart/');

const hasBody = (form) => ['body', 'form'].some((place) => filled(form, place).length > 0);

/** The body of the request: text, a file, or a form; undefined if nothing is filled in. */
function bodyOf(form) {
  if (!hasBody(form)) return undefined;
  const [whole] = filled(form, 'body');
  if (whole) return whole.files?.[0] ?? whole.value;
  const fields = filled(form, 'form');
  if (!isMultipart(form.dataset.type))
    return fields.map((field) => writtenField(field, field.value, queryEncoded)).join('&');
  const body = new FormData();
  for (const field of fields) {
    const { name, shape } = field.dataset;
    for (const part of field.files ?? [parseValue(field.value, shape)].flat())
      body.append(name, part instanceof File || typeof part === 'string' ? part : JSON.stringify(part));
  }
  return body;
}

const isText = (type) => /json|text|xml|javascript|csv|yaml|x-www-form/.test(type ?? '');

async function formatBody(response) {
  const type = response.headers.get('content-type');
  const text = type === null || isText(type) ? await response.text() : '';
  try {
    return /json/.test(type) ? JSON.stringify(JSON.parse(text), null, 2) : text;
  } catch {
    return text;
  }
}

const element = (name, text, className) => {
  const node = document.createElement(name);
  node.textContent = text;
  // On a page in another language, the texts of the interface may have the other direction.
  if (name === 'p') node.dir = 'auto';
  if (className) node.className = className;
  return node;
};

function showResponse(place, { title, texts }, text) {
  const head = element('p', `${texts.response}: `);
  head.append(element('strong', title));
  const code = element('pre', text.slice(0, MAX_SHOWN));
  code.tabIndex = 0;
  place.replaceChildren(head, text === '' ? element('p', texts.noTextBody, 'fact') : code);
}

for (const box of document.querySelectorAll('.try')) {
  box.hidden = false;
  const form = box.querySelector('form');
  const texts = JSON.parse(form.dataset.texts);
  const place = form.querySelector('.try-response');
  const button = form.querySelector('button');
  const { method } = form.dataset;
  const showMessage = (text) => place.replaceChildren(element('p', text, 'fact'));
  const updateUrl = () => {
    form.querySelector('.try-to code').textContent = `${method} ${urlOf(form, true)}`;
  };
  form.elements.authorization?.addEventListener('change', ({ target }) => {
    for (const [index, fields] of form.querySelectorAll('fieldset').entries())
      fields.hidden = fields.disabled = index !== Number(target.value);
    updateUrl();
  });
  form.addEventListener('input', updateUrl);
  updateUrl();
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    // The button is not disabled, because it would lose the focus.
    if (button.ariaDisabled === 'true') return;
    const missing = [...form.querySelectorAll('[required]')].find(({ value }) => value === '');
    if (missing) {
      showMessage(texts.missing);
      missing.focus();
      return;
    }
    let headers;
    try {
      headers = headersOf(form);
    } catch {
      showMessage(texts.invalidHeader);
      return;
    }
    button.ariaDisabled = 'true';
    showMessage(texts.sending);
    try {
      const url = urlOf(form, false);
      const isLocal = /^http:\/\/(?:localhost|127\.0\.0\.1)[:/]/.test(url);
      if (location.protocol === 'https:' && url.startsWith('http:') && !isLocal) {
        showMessage(texts.insecure);
        return;
      }
      const response = await fetch(url, {
        method,
        headers,
        body: bodyOf(form),
        // guard: try-no-cookies
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        cache: 'no-store',
        signal: AbortSignal.timeout(TIMEOUT),
      });
      showResponse(
        place,
        { title: `${response.status} ${response.statusText}`, texts },
        await formatBody(response),
      );
    } catch {
      // Browsers do not tell scripts the reason.
      showMessage(texts.failed);
    } finally {
      button.ariaDisabled = null;
    }
  });
}
