// The behaviour of site pages in a browser. Every page can be read without it.

const root = document.documentElement;
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const one = (selector, within = document) => within.querySelector(selector);
const { copied } = document.body.dataset;
root.classList.add('js');

/** Local storage, if the browser allows it; otherwise nothing is remembered. */
const storage = {
  get(name) {
    try {
      return localStorage.getItem(`colophon-${name}`);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`colophon-${name}`, value);
    } catch {
      // Nothing depends on it.
    }
  },
};

// Light and dark
const themeButton = one('.theme');
if (themeButton) {
  themeButton.hidden = false;
  themeButton.addEventListener('click', () => {
    const theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
    root.dataset.theme = theme;
    storage.set('theme', theme);
  });
}

// The table of contents beside the page
for (const button of all('.fold')) {
  button.hidden = false;
  button.addEventListener('click', () => {
    const isOpen = button.getAttribute('aria-expanded') === 'true';
    button.setAttribute('aria-expanded', String(!isOpen));
    one(':scope > ul', button.closest('li')).hidden = isOpen;
  });
}
requestAnimationFrame(() => {
  const side = one('.side-in');
  const current = one('.side [aria-current=page]');
  if (!side || !current) return;
  const { top, bottom } = current.getBoundingClientRect();
  const box = side.getBoundingClientRect();
  if (top < box.top || bottom > box.bottom) side.scrollTop += top - box.top - box.height / 3;
});
const closeSide = () => {
  if (location.hash === '#~contents') history.replaceState(null, '', location.pathname + location.search);
  // The browser keeps the old `:target` until the hash changes.
  location.hash = '#~main';
};
one('.side')?.addEventListener('click', (event) => {
  if (event.target === event.currentTarget) closeSide();
});

// Menus close when the reader goes elsewhere
const closeMenus = ({ target }) => {
  for (const open of all('.drop[open]')) if (!open.contains(target)) open.open = false;
};
document.addEventListener('click', closeMenus);
document.addEventListener('focusin', closeMenus);
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || one('dialog[open]')) return;
  const open = one('.drop[open]');
  if (open) {
    const hadFocus = open.contains(document.activeElement);
    open.open = false;
    if (hadFocus) one('summary', open).focus();
  } else if (one('.side:target') && getComputedStyle(one('.open-side')).display !== 'none') {
    closeSide();
    one('.open-side').focus();
  }
});

// The outline highlights the current section
const links = new Map(all('.outline a').map((link) => [decodeURIComponent(link.hash.slice(1)), link]));
if (links.size > 0) {
  const headings = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  let isWaiting = false;
  const follow = () => {
    isWaiting = false;
    const line = 120;
    const past = headings.filter((heading) => heading.getBoundingClientRect().top <= line);
    const isEnd = innerHeight + scrollY >= root.scrollHeight - 2;
    const here = isEnd && scrollY > 0 ? headings.at(-1) : (past.at(-1) ?? headings[0]);
    for (const [id, link] of links) {
      const isHere = id === here?.id;
      link.classList.toggle('here', isHere);
      if (isHere) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  };
  addEventListener(
    'scroll',
    () => {
      if (!isWaiting) requestAnimationFrame(follow);
      isWaiting = true;
    },
    { passive: true },
  );
  // After layout, so as not to force one.
  requestAnimationFrame(follow);
}

// Code
/** Copies a text; without HTTPS, browsers only copy what is selected. */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
  focused?.focus();
}
for (const button of all('.copy')) {
  button.hidden = false;
  const label = button.getAttribute('aria-label');
  button.addEventListener('click', async () => {
    await copy(one('code', button.parentElement).textContent.replace(/\n$/, ''));
    button.classList.add('done');
    button.setAttribute('aria-label', copied);
    setTimeout(() => {
      button.classList.remove('done');
      button.setAttribute('aria-label', label);
    }, 1600);
  });
}
for (const button of all('.unfold')) {
  button.hidden = false;
  button.addEventListener('click', () => {
    button.parentElement.classList.add('unfolded');
    button.remove();
  });
}

// Formulas that do not fit can be scrolled with the keyboard.
const fits = new ResizeObserver((entries) => {
  for (const { target } of entries)
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute('tabindex');
});
for (const formula of all('main .formula')) fits.observe(formula);

// Code and formulas that were not ready when the page was sent are requested once more.
const pendingParts = (within) => all('main pre, main .math, main .formula', within);
async function loadPendingParts() {
  // On failure, the page stays readable as it is.
  const response = await fetch(location.href).catch(() => undefined);
  if (!response?.ok) return;
  const updated = new DOMParser().parseFromString(await response.text(), 'text/html');
  const [before, after] = [pendingParts(document), pendingParts(updated)];
  // The page has changed since.
  if (before.length !== after.length) return;
  for (const [index, part] of before.entries()) part.replaceChildren(...after[index].childNodes);
}
if ('incomplete' in document.body.dataset) setTimeout(loadPendingParts, 1500);

// Tabs: choosing a tab chooses all tabs with the same title, on every page.
const chosen = new Set((storage.get('tabs') ?? '').split('\n').filter(Boolean));
const groups = [];

/** The names by which tabs are chosen: their titles, numbered from the second with the same title in a group. */
function namesOf(panels) {
  const counts = new Map();
  return panels.map((panel) => {
    const title = panel.dataset.title.replace(/\s+/g, ' ');
    const count = (counts.get(title) ?? 0) + 1;
    counts.set(title, count);
    return count === 1 ? title : `${title}\t${count}`;
  });
}

for (const [number, group] of all('.tabs').entries()) {
  const panels = all(':scope > .tab', group);
  if (panels.length === 0) continue;
  const names = namesOf(panels);
  const list = document.createElement('div');
  list.className = 'tab-list';
  list.setAttribute('role', 'tablist');
  const buttons = panels.map((panel, index) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...one('.tab-title', panel).cloneNode(true).childNodes);
    button.setAttribute('role', 'tab');
    button.id = `~tabs-${number}-${index}`;
    panel.id ||= `~panel-${number}-${index}`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', button.id);
    button.setAttribute('aria-controls', panel.id);
    button.addEventListener('click', () => choose(names[index]));
    return button;
  });
  list.addEventListener('keydown', (event) => {
    const forward = root.dir === 'rtl' ? -1 : 1;
    const at = buttons.indexOf(document.activeElement);
    const to = { ArrowRight: at + forward, ArrowLeft: at - forward, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = buttons.at(to % buttons.length);
    next.click();
    next.focus();
  });
  list.append(...buttons);
  group.prepend(list);
  const show = (name) => {
    const index = names.indexOf(name);
    if (index < 0) return;
    for (const [at, panel] of panels.entries()) {
      panel.hidden = at !== index;
      buttons[at].setAttribute('aria-selected', String(at === index));
      buttons[at].tabIndex = at === index ? 0 : -1;
    }
  };
  groups.push({ show, names, panels });
  show(names.find((name) => chosen.has(name)) ?? names[0]);
}
function choose(name) {
  const isWith = ({ names }) => names.includes(name);
  for (const { names } of groups.filter(isWith)) for (const other of names) chosen.delete(other);
  chosen.add(name);
  storage.set('tabs', [...chosen].slice(-50).join('\n'));
  for (const { show } of groups.filter(isWith)) show(name);
}
/** Documentation tools derive anchors from titles in ways that differ in case and punctuation. */
const fold = (anchor) =>
  anchor
    .replace(/^id-(?=\p{N})/u, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
const hashName = () => {
  const name = location.hash.slice(1);
  try {
    return decodeURIComponent(name);
  } catch {
    // It is not encoded.
    return name;
  }
};
/** The title of a heading, or of details. */
const titleOf = (element) => (element.querySelector('summary') ?? element).textContent;
/** Opens the tabs and details that contain or are the target of the hash, or goes to what has the title that it may mean. */
const reveal = () => {
  const name = hashName();
  const target = document.getElementById(name) ?? document.getElementsByName(name)[0];
  if (!target && !name.startsWith('~') && fold(name) !== '') {
    const titled = [...document.querySelectorAll('article :is(h2, h3, h4, details)[id]')];
    const namesOf = (one) => [one.id, titleOf(one), one.dataset.alias ?? ''];
    const similar = titled.find((one) => namesOf(one).some((text) => fold(text) === fold(name)));
    if (similar) location.replace(`#${encodeURIComponent(similar.id)}`);
  }
  const closed = '.tab[hidden], details:not([open])';
  let box = target?.closest(closed);
  if (!box) return;
  for (; box; box = box.parentElement.closest(closed)) {
    if (box.matches('details')) box.open = true;
    const group = groups.find(({ panels }) => panels.includes(box));
    if (group) choose(group.names[group.panels.indexOf(box)]);
  }
  target.scrollIntoView();
};
addEventListener('hashchange', reveal);
// A link to where the address already leads does not change it, but the reader may have closed the target since.
document.addEventListener('click', (event) => {
  const { hash, href } = event.target.closest?.('a[href*="#"]') ?? {};
  if (hash && href === location.href) reveal();
});
if (location.hash) reveal();
