import { HOME } from '../../routers/auth/return-to.ts';
import type { Actor } from '../../routers/base/principal.ts';
import { type Html, html } from '../http/html.ts';
import type { Language } from './languages/index.ts';
import type { Visit } from './visit.ts';

/** A visit of somebody who is signed in. */
export type OwnVisit = Visit & { actor: Actor };

/** A part of the page of one's own account. */
export type AccountSection = (visit: OwnVisit) => Promise<Html | undefined>;

/** As many of each list as are shown. */
export const LISTED = 100;

export const timeIn = ({ code }: Language, iso: string, options: Intl.DateTimeFormatOptions): Html =>
  html`<time datetime="${iso}">${new Intl.DateTimeFormat(code, { timeZone: 'UTC', ...options }).format(new Date(iso))}</time>`;

export const section = (title: string, intro: string | undefined, body: Html): Html =>
  html`<section><h2>${title}</h2>${intro !== undefined && html`<p>${intro}</p>`}${body}</section>`;

/** Goes back to the page, which says what was done. */
export const done = (visit: OwnVisit, name: string) => visit.goTo(`${HOME}?done=${name}`);
