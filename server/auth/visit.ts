import type { FastifyReply, FastifyRequest } from 'fastify';
import { safeReturnTo } from '../../routers/auth/return-to.ts';
import type { Actor } from '../../routers/base/principal.ts';
import { createCaller } from '../../routers/index.ts';
import type { Html } from '../http/html.ts';
import { formToken } from './forms.ts';
import { type Language, languageOf } from './languages/index.ts';
import type { Texts } from './languages/texts.ts';
import { type Page, sendPage } from './layout.ts';

/** One request of a page: who asks, in which language, and what it is answered with. */
export interface Visit {
  request: FastifyRequest;
  language: Language;
  texts: Texts;
  /** Calls procedures as the person. */
  call: ReturnType<typeof createCaller>;
  /** The user who is signed in; null for nobody. */
  actor: Actor | null;
  /** The hidden field that each form needs. */
  token: Html;
  /** A field of the query string; undefined if it is absent. */
  query(name: string): string | undefined;
  show(page: Page): FastifyReply;
  /** Sends the browser to an own path, by GET. */
  goTo(path: string): FastifyReply;
  /** Sends the browser to another service. */
  leaveTo(url: string): FastifyReply;
}

export async function visitOf(request: FastifyRequest, reply: FastifyReply): Promise<Visit> {
  const { ctx } = request;
  const language = languageOf(request.headers['accept-language']);
  const caller = await ctx.authenticate();
  const query = request.query as Record<string, unknown>;
  return {
    request,
    language,
    texts: language.texts,
    call: createCaller(ctx),
    actor: caller?.kind === 'user' ? caller : null,
    token: formToken(ctx.services, ctx.browser),
    query(name) {
      const value = Object.hasOwn(query, name) ? query[name] : undefined;
      return typeof value === 'string' ? value : undefined;
    },
    show: (page) => sendPage(reply, language, page),
    leaveTo: (url) => reply.header('cache-control', 'no-store').redirect(url, 303),
    goTo: (path) =>
      reply.header('cache-control', 'no-store').redirect(ctx.services.urls.absolute(safeReturnTo(path)), 303),
  };
}
