// Sends requests of the forms beside operations of APIs, from the browser to the server that the form names.

/** How long an answer may take, in milliseconds, and how much of it is shown, in characters. */
const TIME = 30_000;
const SHOWN = 100_000;

/** The fields that count: those of other ways to be authorized are disabled. */
const fieldsIn = (form, place) => [...form.querySelectorAll(`[data-in=${place}]:enabled`)];

/** What a field sends; empty if it is not filled in. */
function textOf(field) {
  const { value } = field;
  const { prefix } = field.dataset;
  if (prefix !== 'Basic') return prefix && value !== '' ? `${prefix} ${value}` : value;
  const pair = `${value}:${field.closest('.basic').querySelector('[type=password]').value}`;
  return pair === ':' ? '' : `Basic ${btoa(String.fromCodePoint(...new TextEncoder().encode(pair)))}`;
}

const filled = (form, place) => fieldsIn(form, place).filter((field) => textOf(field) !== '');

/** Where the form sends to; what authorizes is masked in what is shown. */
function urlOf(form, isShown) {
  let { path } = form.dataset;
  for (const field of filled(form, 'path'))
    path = path.replaceAll(`{${field.dataset.name}}`, () => encodeURIComponent(field.value));
  const query = new URLSearchParams();
  for (const field of filled(form, 'query'))
    query.append(field.dataset.name, isShown && field.type === 'password' ? '***' : field.value);
  return form.elements.server.value + path + (query.size > 0 ? `?${query}` : '');
}

/** @throws TypeError for text that headers cannot have */
function headersOf(form) {
  const headers = new Headers();
  for (const field of filled(form, 'header')) headers.set(field.dataset.name, textOf(field));
  for (const field of filled(form, 'body')) headers.set('content-type', field.dataset.type);
  return headers;
}

const textIn = (type) => /json|text|xml|javascript|csv|yaml|x-www-form/.test(type ?? '');

async function answerOf(response) {
  const type = response.headers.get('content-type');
  const text = type === null || textIn(type) ? await response.text() : '';
  try {
    return /json/.test(type) ? JSON.stringify(JSON.parse(text), null, 2) : text;
  } catch {
    return text;
  }
}

const element = (name, text, className) => {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
};

function showAnswer(place, { title, texts }, text) {
  const head = element('p', `${texts.answer}: `);
  head.append(element('strong', title));
  const code = element('pre', text.slice(0, SHOWN));
  code.tabIndex = 0;
  place.replaceChildren(head, text === '' ? element('p', texts.noText, 'fact') : code);
}

for (const box of document.querySelectorAll('.try')) {
  box.hidden = false;
  const form = box.querySelector('form');
  const texts = JSON.parse(form.dataset.texts);
  const place = form.querySelector('.try-answer');
  const button = form.querySelector('button');
  const { method } = form.dataset;
  const tell = (text) => place.replaceChildren(element('p', text, 'fact'));
  const follow = () => {
    form.querySelector('.try-to code').textContent = `${method} ${urlOf(form, true)}`;
  };
  form.elements.authorization?.addEventListener('change', ({ target }) => {
    for (const [index, fields] of form.querySelectorAll('fieldset').entries())
      fields.hidden = fields.disabled = index !== Number(target.value);
    follow();
  });
  form.addEventListener('input', follow);
  follow();
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const missing = [...form.querySelectorAll('[required]')].find(({ value }) => value === '');
    if (missing) {
      tell(texts.missing);
      missing.focus();
      return;
    }
    let headers;
    try {
      headers = headersOf(form);
    } catch {
      tell(texts.notInHeader);
      return;
    }
    button.disabled = true;
    tell(texts.sending);
    try {
      const url = urlOf(form, false);
      const isLocal = /^http:\/\/(?:localhost|127\.0\.0\.1)[:/]/.test(url);
      if (location.protocol === 'https:' && url.startsWith('http:') && !isLocal) {
        tell(texts.insecure);
        return;
      }
      const response = await fetch(url, {
        method,
        headers,
        body: filled(form, 'body')[0]?.value,
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        cache: 'no-store',
        signal: AbortSignal.timeout(TIME),
      });
      showAnswer(
        place,
        { title: `${response.status} ${response.statusText}`, texts },
        await answerOf(response),
      );
    } catch {
      // Browsers do not tell scripts why.
      tell(texts.failed);
    } finally {
      button.disabled = false;
    }
  });
}
