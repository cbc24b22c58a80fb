// Sends requests of the forms beside operations of APIs, from the browser to the server that the form names.

/** How long an answer may take, in milliseconds, and how much of it is shown, in characters. */
const TIME = 30_000;
const SHOWN = 100_000;

const filled = (form) => [...form.querySelectorAll('[data-in]')].filter(({ value }) => value !== '');

/** What the form sends, as far as it is filled in. */
function requestOf(form) {
  const query = new URLSearchParams();
  const headers = new Headers();
  let { path } = form.dataset;
  let body;
  for (const field of filled(form)) {
    const { in: place, name, kind, type } = field.dataset;
    const { value } = field;
    if (place === 'path') path = path.replaceAll(`{${name}}`, () => encodeURIComponent(value));
    else if (place === 'query') query.append(name, value);
    else if (place === 'body') {
      headers.set('content-type', type);
      body = value;
    } else if (kind === 'basic')
      headers.set(name, `Basic ${btoa(String.fromCodePoint(...new TextEncoder().encode(value)))}`);
    else headers.set(name, kind === 'bearer' ? `Bearer ${value}` : value);
  }
  const search = query.size > 0 ? `?${query}` : '';
  return { url: form.elements.server.value + path + search, headers, body };
}

const textIn = (type) => /json|text|xml|javascript|csv|yaml|x-www-form/.test(type ?? '');

async function textOf(response) {
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
    // What authorizes is not shown.
    const { url } = requestOf(form);
    const secret = form.querySelector('[type=password][data-in=query]')?.value;
    form.querySelector('.try-to code').textContent =
      `${method} ${secret ? url.replaceAll(encodeURIComponent(secret), '•••') : url}`;
  };
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
    button.disabled = true;
    tell(texts.sending);
    try {
      const { url, headers, body } = requestOf(form);
      const isLocal = /^http:\/\/(?:localhost|127\.0\.0\.1)[:/]/.test(url);
      if (location.protocol === 'https:' && url.startsWith('http:') && !isLocal) {
        tell(texts.insecure);
        return;
      }
      const response = await fetch(url, {
        method,
        headers,
        body,
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        cache: 'no-store',
        signal: AbortSignal.timeout(TIME),
      });
      showAnswer(
        place,
        { title: `${response.status} ${response.statusText}`, texts },
        await textOf(response),
      );
    } catch {
      // Browsers do not tell scripts why.
      tell(texts.failed);
    } finally {
      button.disabled = false;
    }
  });
}
