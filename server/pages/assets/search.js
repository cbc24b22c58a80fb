// Search as you type. Without JavaScript, the search form opens a page of results instead.

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const one = (selector, within = document) => within.querySelector(selector);
const { search: searchUrl, none, failed } = document.body.dataset;

const dialog = one('dialog.search');
const input = one('input', dialog);
const found = one('.found', dialog);
const state = one('.search-state', dialog);
let lastQuery = '';
let answered = Promise.resolve();
let selected = -1;

const openSearch = (event) => {
  event?.preventDefault();
  if (!dialog.open) dialog.showModal();
  input.select();
};
one('.find').addEventListener('click', openSearch);
addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea, select, [contenteditable]');
  const isKey = event.key === '/' && !isTyping && !event.metaKey && !event.ctrlKey && !event.altKey;
  if (isKey || (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey))) openSearch(event);
});
const closeSearch = () => {
  dialog.close();
  // Until the next frame, the hidden field would otherwise keep the focus, and get the keys.
  input.blur();
};
one('.close', dialog).addEventListener('click', closeSearch);
dialog.addEventListener('click', (event) => {
  if (event.target === dialog) closeSearch();
});

const hits = () => all('.hit', found);
const select = (index) => {
  const list = hits();
  selected = list.length === 0 ? -1 : (index + list.length) % list.length;
  for (const [at, hit] of list.entries()) hit.setAttribute('aria-selected', String(at === selected));
  list[selected]?.scrollIntoView({ block: 'nearest' });
  if (selected >= 0) input.setAttribute('aria-activedescendant', list[selected].id);
  else input.removeAttribute('aria-activedescendant');
};
input.addEventListener('keydown', (event) => {
  // While an input method composes, the keys are its own.
  if (event.isComposing) return;
  if (event.key === 'Escape') {
    // Browsers would only clear the field.
    event.preventDefault();
    closeSearch();
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    select(selected + step);
  }
});
one('form', dialog).addEventListener('submit', async (event) => {
  if (input.value.trim() === '') return;
  event.preventDefault();
  clearTimeout(typing);
  // The results may still be those of a former query.
  await search();
  const hit = hits()[selected];
  if (!hit) return event.target.submit();
  closeSearch();
  location.href = hit.href;
});
found.addEventListener('click', (event) => {
  if (event.target.closest('.hit')) closeSearch();
});

const element = (name, className, ...children) => {
  const node = document.createElement(name);
  if (className) node.className = className;
  node.append(...children);
  return node;
};
/** Names in different directions keep their order. */
const pathOf = (names) =>
  names.flatMap((name, index) => [...(index > 0 ? [' › '] : []), element('bdi', '', name)]);
const excerpt = (pieces) =>
  element('span', '', ...pieces.map(([text, isMarked]) => (isMarked ? element('mark', '', text) : text)));
const hit = (href, className, language, ...children) => {
  const link = element('a', `hit ${className}`, ...children);
  link.href = href;
  Object.assign(link, language);
  link.setAttribute('role', 'option');
  link.tabIndex = -1;
  return link;
};
function renderPage({ title, href, language, above, sections }) {
  const [first, ...others] = sections;
  const path = above.length > 0 ? [element('small', '', ...pathOf(above))] : [];
  const pageMatch = first && first.title === '' ? first : undefined;
  const parts = pageMatch ? others : sections;
  return [
    hit(
      href,
      'page',
      language,
      ...path,
      element('strong', '', title),
      ...(pageMatch ? [excerpt(pageMatch.excerpt)] : []),
    ),
    ...parts.map((part) =>
      hit(part.href, 'part', language, element('strong', '', part.title || title), excerpt(part.excerpt)),
    ),
  ];
}

function showNone(message) {
  found.replaceChildren();
  select(0);
  state.textContent = message;
  input.setAttribute('aria-expanded', 'false');
}
/** Shows the results for what is in the field. */
function search() {
  const query = input.value.trim();
  if (query !== lastQuery) {
    lastQuery = query;
    answered = answer(query);
  }
  return answered;
}
async function answer(query) {
  if (query === '') {
    showNone('');
    return;
  }
  try {
    const response = await fetch(`${searchUrl}?${new URLSearchParams({ q: query })}`);
    if (!response.ok) throw new Error(String(response.status));
    const { pages } = await response.json();
    if (query !== lastQuery) return;
    found.replaceChildren(...pages.flatMap(renderPage));
    for (const [index, item] of hits().entries()) item.id = `~hit-${index}`;
    state.textContent = pages.length === 0 ? none : '';
    input.setAttribute('aria-expanded', String(pages.length > 0));
    select(0);
  } catch {
    if (query !== lastQuery) return;
    showNone(failed);
    lastQuery = undefined;
  }
}
let typing;
input.addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(search, 120);
});
