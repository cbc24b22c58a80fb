import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { recordSignIn } from '../../routers/auth/record.operation.ts';
import { runFor } from '../../routers/base/caller.ts';
import { DomainError, TooManyAttempts } from '../../routers/engine/errors.ts';
import { metadataXml } from '../../routers/saml/messages.ts';
import { serviceOf } from '../../routers/saml/saml-providers.api.ts';
import { readActiveProvider, readProvider } from '../../routers/saml/saml-providers.query.ts';
import {
  completeSamlSignIn,
  receiveSamlResponse,
  startSamlSignIn,
} from '../../routers/saml/sign-in.operation.ts';
import { html } from '../http/html.ts';
import { asApiError, errorBody, retryAfterOf } from '../http/http-errors.ts';
import { messageFor } from './call-errors.ts';
import { parseForms } from './forms.ts';
import { languageOf } from './languages/index.ts';
import { notice, sendPage } from './layout.ts';
import { signInAndRedirect } from './sign-in-and-redirect.ts';

/** Maximum size of a form, in bytes: room for the longest accepted response, in base64. */
const FORM_LIMIT = 512 * 1024;

interface SamlRequest {
  Params: { provider: string };
  Querystring: { returnTo?: unknown; code?: unknown };
}

/** Serves the URLs in a SAML provider's `service`: the steps of a sign-in, and the metadata. */
export function mountSaml(app: FastifyInstance): void {
  parseForms(app, FORM_LIMIT);
  // Anonymous load is counted by IP address, and not towards an organization.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('cache-control', 'no-store');
    runFor({ user: request.ctx.browser.address }, done);
  });

  app.get<SamlRequest>('/auth/saml/:provider/metadata', async ({ ctx, params }, reply) => {
    const { id } = await readProvider(ctx.db, params.provider);
    return reply
      .type('application/samlmetadata+xml; charset=utf-8')
      .send(metadataXml(serviceOf(ctx.services.urls, id)));
  });

  app.get<SamlRequest>('/auth/saml/:provider/start', (request, reply) =>
    withErrorPage(request, reply, async () => {
      const { ctx, params, query } = request;
      const provider = await readActiveProvider(ctx.db, params.provider);
      return reply.redirect(await startSamlSignIn(ctx, provider, query.returnTo), 302);
    }),
  );

  app.post<SamlRequest>('/auth/saml/:provider/acs', { bodyLimit: FORM_LIMIT }, (request, reply) =>
    withErrorPage(request, reply, async () => {
      const { ctx, params, body } = request;
      const provider = await readActiveProvider(ctx.db, params.provider);
      const form = body instanceof URLSearchParams ? body : new URLSearchParams();
      const code = await receiveSamlResponse(ctx, provider, {
        response: form.get('SAMLResponse') ?? '',
        relayState: form.get('RelayState') ?? '',
      });
      // The provider's page sent the browser here, so without our cookies. From a page of our own, it sends them.
      const next = `/auth/saml/${provider.id}/complete?code=${code}`;
      const language = languageOf(request.headers['accept-language']);
      const { signIn } = language.texts;
      return sendPage(reply.header('refresh', `0; url=${next}`), language, {
        title: signIn,
        body: html`<p><a class="button" href="${next}">${signIn}</a></p>`,
      });
    }),
  );

  app.get<SamlRequest>('/auth/saml/:provider/complete', (request, reply) =>
    withErrorPage(request, reply, async () => {
      const { ctx, params, query } = request;
      const provider = await readActiveProvider(ctx.db, params.provider);
      const code = typeof query.code === 'string' ? query.code : '';
      return signInAndRedirect(request, reply, await completeSamlSignIn(ctx, provider, code));
    }),
  );
}

/** Runs a step of a sign-in; if it fails, shows why, with a link to start again, and records the failure. */
async function withErrorPage(
  request: FastifyRequest<SamlRequest>,
  reply: FastifyReply,
  step: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { ctx, params } = request;
    const { status, body } = errorBody(error);
    const isUnknown = error.code === 'not-found';
    if (error.code === 'forbidden') {
      const { organization } = await readProvider(ctx.db, params.provider);
      const { address } = ctx.browser;
      await ctx.transaction((em) =>
        recordSignIn(em, ctx.services, {
          kind: 'refused',
          method: 'saml',
          user: null,
          organization,
          address,
        }),
      );
    }
    const apiError = asApiError(error);
    const retryAfter = retryAfterOf([apiError]);
    if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
    const language = languageOf(request.headers['accept-language']);
    const { texts } = language;
    const message = error instanceof TooManyAttempts ? messageFor(apiError, texts) : body.error.message;
    return sendPage(reply, language, {
      title: texts.failed,
      status,
      body: html`${notice(message, 'bad')}${
        !isUnknown &&
        html`<p class="more"><a href="/auth/saml/${params.provider}/start">${texts.signIn}</a></p>`
      }`,
    });
  }
}
