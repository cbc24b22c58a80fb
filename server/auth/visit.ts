import type { FastifyReply, FastifyRequest } from 'fastify';
import { safeReturnTo } from '../../routers/auth/return-to.ts';
import type { Services } from '../../routers/base/context.ts';
import type { Actor } from '../../routers/base/principal.ts';
import { createCaller } from '../../routers/index.ts';
import type { Html } from '../http/html.ts';
import { formToken } from './forms.ts';
import { type Language, languageOf } from './languages/index.ts';
import type { Texts } from './languages/texts.ts';
import { type Page, sendPage } from './layout.ts';

/** A request for a page: its user and language, and the ways to respond. */
export interface Visit {
  request: FastifyRequest;
  language: Language;
  texts: Texts;
  /** Calls procedures as the user. */
  call: ReturnType<typeof createCaller>;
  /** The signed-in user, if any. */
  actor: Actor | null;
  /** The hidden field that every form needs. */
  token: Html;
  /** A parameter of the query string; undefined if it is missing. */
  query(name: string): string | undefined;
  show(page: Page): FastifyReply;
  /** Redirects the browser to a path of this service, by GET. */
  redirect(path: string): FastifyReply;
  /** Redirects the browser to another service. */
  redirectExternally(url: string): FastifyReply;
}

/**
 * Redirects a browser to a path of this service, on the host that it uses: its cookies are there, and a form may not lead to
 * another one.
 */
export function redirectOnHost(reply: FastifyReply, { urls }: Services, path: string): FastifyReply {
  const { pathname, search, hash } = new URL(urls.absolute(safeReturnTo(path)));
  return reply.header('cache-control', 'no-store').redirect(pathname + search + hash, 303);
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
    redirectExternally: (url) => reply.header('cache-control', 'no-store').redirect(url, 303),
    redirect: (path) => redirectOnHost(reply, ctx.services, path),
  };
}
