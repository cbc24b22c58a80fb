import { HOME } from '../../routers/auth/return-to.ts';
import type { Actor } from '../../routers/base/principal.ts';
import { type Html, html } from '../http/html.ts';
import { formatTime, type Language } from './languages/index.ts';
import type { Visit } from './visit.ts';

/** A visit by a signed-in user. */
export type SignedInVisit = Visit & { actor: Actor };

/** A section of the account page. */
export type AccountSection = (visit: SignedInVisit) => Promise<Html | undefined>;

/** Maximum number of items shown in each list. */
export const LIST_LIMIT = 100;

export const timeElement = (language: Language, iso: string, options: Intl.DateTimeFormatOptions): Html =>
  html`<time datetime="${iso}">${formatTime(language, new Date(iso), options)}</time>`;

export const section = (title: string, intro: string | undefined, body: Html): Html =>
  html`<section><h2>${title}</h2>${intro !== undefined && html`<p>${intro}</p>`}${body}</section>`;

/** Redirects to the account page with a message about what was done: a key of `MESSAGES`. */
export const redirectWithMessage = (visit: SignedInVisit, name: string) =>
  visit.redirect(`${HOME}?done=${name}`);
