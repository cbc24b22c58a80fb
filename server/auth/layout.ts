import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { type Html, html } from '../http/html.ts';
import type { Language } from './languages/index.ts';

/** A page in the language of its reader. */
export interface Page {
  title: string;
  body: Html;
  status?: number;
  /** Whether the page is wide, for lists. */
  isWide?: boolean;
  /** The path of a script module that the page runs. */
  script?: string;
}

export const STYLES = `
:root { --paper: #f6f3ea; --card: #fffdf7; --ink: #23211c; --quiet: #5f5a4e; --mark: #1f4e46; --on-mark: #f6f3ea; --line: #8d8775; --hair: #ddd6c4; --bad: #9b2c1f; --good: #1f4e46; }
@media (prefers-color-scheme: dark) { :root { --paper: #1b1a17; --card: #24221e; --ink: #ece8dc; --quiet: #b3ad9e; --mark: #8cc7ba; --on-mark: #16201d; --line: #8a8474; --hair: #3a3730; --bad: #f0a394; --good: #8cc7ba; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 26rem; margin: 0 auto; padding: clamp(1.5rem, 10vh, 7rem) 1.25rem 4rem; overflow-wrap: break-word; }
main.wide { max-width: 44rem; padding-top: clamp(1.5rem, 5vh, 4rem); }
.brand { display: block; margin-bottom: 1.75rem; color: var(--quiet); font: 500 1.125rem/1 Georgia, "Times New Roman", serif; text-decoration: none; letter-spacing: -0.01em; }
h1 { margin: 0 0 1.25rem; font: 500 1.875rem/1.2 Georgia, "Times New Roman", serif; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { margin: 0 0 0.25rem; font: 500 1.25rem/1.3 Georgia, "Times New Roman", serif; }
p { margin: 0 0 1rem; }
section { padding: 1.75rem 0; border-top: 1px solid var(--hair); }
section > p { color: var(--quiet); }
label { display: block; margin-bottom: 0.3rem; font-weight: 600; font-size: 0.9375rem; }
.field { margin-bottom: 1.1rem; }
input:not([type=checkbox], [type=hidden]), select { width: 100%; padding: 0.6rem 0.7rem; border: 1px solid var(--line); border-radius: 0.4rem; background: var(--card); color: inherit; font: inherit; }
input[aria-invalid=true] { border-color: var(--bad); }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; }
.username { display: none; }
.check { display: flex; gap: 0.6rem; align-items: center; }
.check label { margin: 0; font-weight: 400; }
.check input { width: 1.1rem; height: 1.1rem; accent-color: var(--mark); }
.hint { margin: 0.3rem 0 0; color: var(--quiet); font-size: 0.875rem; }
.problem { margin: 0.3rem 0 0; color: var(--bad); font-size: 0.9375rem; font-weight: 600; }
.notice { margin: 0 0 1.25rem; padding: 0.75rem 1rem; border-left: 4px solid var(--good); background: var(--card); overflow-wrap: anywhere; }
.notice.bad { border-color: var(--bad); }
.notice code { display: block; margin-top: 0.4rem; user-select: all; }
code { font: 0.9375rem/1.5 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
button, .button { display: inline-block; padding: 0.6rem 1.1rem; border: 1px solid var(--mark); border-radius: 0.4rem; background: var(--mark); color: var(--on-mark); font: inherit; font-weight: 600; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { filter: brightness(1.12); }
button.plain, .button.plain { background: transparent; color: var(--mark); }
button.small, .button.small { padding: 0.3rem 0.75rem; font-size: 0.9375rem; }
form > button:only-of-type.full { width: 100%; }
a { color: var(--mark); text-underline-offset: 0.2em; }
.more { margin: 1.25rem 0 0; }
.options { margin: 1.5rem 0 0; padding-top: 1.5rem; border-top: 1px solid var(--hair); display: grid; gap: 0.6rem; }
.options > * { text-align: center; }
.options button { width: 100%; }
.options:not(:has(> :not([hidden]))) { display: none; }
.qr { width: 12rem; margin-bottom: 1rem; border-radius: 0.4rem; overflow: hidden; }
.qr svg { display: block; width: 100%; height: auto; }
.codes { columns: 2; margin: 0 0 1.25rem; padding: 1rem; list-style: none; background: var(--card); border: 1px solid var(--hair); border-radius: 0.4rem; }
ul.list { margin: 0 0 1rem; padding: 0; list-style: none; }
ul.list li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.5rem 1rem; align-items: center; padding: 0.8rem 0; border-bottom: 1px solid var(--hair); }
ul.list div { min-width: 0; overflow-wrap: anywhere; }
ul.list small { display: block; color: var(--quiet); font-size: 0.875rem; }
.badge { margin-left: 0.4rem; padding: 0.05rem 0.5rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--quiet); font-size: 0.8125rem; white-space: nowrap; }
.row { display: grid; gap: 0 1rem; }
@media (min-width: 36rem) { .row { grid-template-columns: 1fr 1fr; align-items: end; } }
.top { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; }
details { margin-top: 1rem; }
summary { cursor: pointer; color: var(--mark); font-weight: 600; }
details form { margin-top: 1rem; }
`;

/** The path of the style sheet, which changes with its content. */
export const STYLES_PATH = `/auth/styles-${hash('sha256', STYLES).slice(0, 12)}.css`;

/** Pages load nothing from other origins, cannot be framed, and run no script except the one that they name. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The policy of pages with a script, which may call the service. */
const SCRIPTED_POLICY = `${POLICY}; script-src 'self'; connect-src 'self'`;

export function sendPage(
  reply: FastifyReply,
  { code }: Language,
  { title, body, status = 200, isWide = false, script }: Page,
): FastifyReply {
  const { text } = html`<!doctype html>
<html lang="${code}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${STYLES_PATH}">
${script !== undefined && html`<script type="module" src="${script}"></script>`}
<title>${title} – Colophon</title>
</head>
<body>
<main${isWide && html` class="wide"`}>
<a class="brand" href="/">Colophon</a>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return reply
    .code(status)
    .headers({
      'content-security-policy': script === undefined ? POLICY : SCRIPTED_POLICY,
      'cache-control': 'no-store',
      vary: 'accept-language, cookie',
      // Without a referrer, browsers send `Origin: null` with forms, so that their origin could not be checked.
      'referrer-policy': 'same-origin',
    })
    .type('text/html; charset=utf-8')
    .send(text);
}

/** A message at the top of a page: what was done, or what went wrong. */
export const notice = (
  message: Html | string | undefined,
  kind: 'good' | 'bad' = 'good',
): Html | undefined =>
  message === undefined
    ? undefined
    : html`<div class="notice${kind === 'bad' && ' bad'}" role="${kind === 'bad' ? 'alert' : 'status'}">${message}</div>`;

/** Tells password managers whose password a form sets. They ignore hidden inputs, but not those that a style hides. */
export const usernameField = (email: string): Html =>
  html`<input class="username" type="text" name="username" autocomplete="username" value="${email}" readonly tabindex="-1">`;

interface Field {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  value?: string | undefined;
  autocomplete: string;
  hint?: string | undefined;
  /** The error message of the field. */
  problem?: string | undefined;
  isRequired?: boolean;
  hasFocus?: boolean;
  maxLength?: number;
}

/** A labelled input, associated with its hint and its error message. */
export function field(given: Field): Html {
  const { name, label, type = 'text', value, autocomplete, hint, problem, hasFocus, maxLength } = given;
  const { isRequired = true } = given;
  const about = [hint && `${name}-hint`, problem && `${name}-problem`].filter(Boolean).join(' ');
  return html`<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"${value !== undefined && html` value="${value}"`}${
    isRequired && html` required`
  }${maxLength !== undefined && html` maxlength="${maxLength}"`}${about && html` aria-describedby="${about}"`}${
    problem && html` aria-invalid="true"`
  }${(problem || hasFocus) && html` autofocus`}${type === 'email' && html` autocapitalize="none" spellcheck="false"`}>
${problem && html`<p class="problem" id="${name}-problem">${problem}</p>`}
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
</div>`;
}
