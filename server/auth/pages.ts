import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { oidcPath } from '../../routers/auth/oidc.operation.ts';
import { HOME, safeReturnTo } from '../../routers/auth/return-to.ts';
import { SECOND_FACTOR_PAGE } from '../../routers/auth/second-factor.operation.ts';
import type { RequestContext } from '../context.ts';
import { html } from '../http/html.ts';
import { asApiError, errorBody, retryAfterOf } from '../http/http-errors.ts';
import * as account from './account-page.ts';
import type { SignedInVisit } from './account-section.ts';
import { TOTP_SETUP_PATH } from './account-sign-in-methods.ts';
import { APP_PATHS, showAppPage } from './app-page.ts';
import { messageFor } from './call-errors.ts';
import { FORM_LIMIT, parseForms, requireFormToken } from './forms.ts';
import { acceptInvite, showInvite } from './invite-pages.ts';
import { languageOf } from './languages/index.ts';
import { notice, STYLES, STYLES_PATH, sendPage } from './layout.ts';
import { finishProviderSignIn, startProviderSignIn } from './oidc-pages.ts';
import { PASSKEY_SCRIPT, PASSKEY_SCRIPT_PATH } from './passkey-script.ts';
import * as factor from './second-factor-pages.ts';
import {
  requestLink,
  saveNewPassword,
  showForgotten,
  showNewPassword,
  showSignIn,
  showVerification,
  signIn,
  signOut,
  verify,
} from './sign-in-pages.ts';
import { showStart } from './start-page.ts';
import { type Visit, visitOf } from './visit.ts';

/** How long browsers cache styles and scripts, in seconds: each version has its own address. */
const ASSET_AGE = 365 * 86_400;

type PageResult = FastifyReply | Promise<FastifyReply>;
type Parameters = Record<string, string>;

/**
 * Serves the sign-in and account pages, which work without JavaScript.
 * @param contextOf creates the context of a page request, in which users who follow a link from elsewhere are signed in
 */
export function mountAuthPages(
  app: FastifyInstance,
  contextOf: (request: FastifyRequest, reply: FastifyReply) => RequestContext,
): void {
  parseForms(app);
  app.addHook('onRequest', (request, reply, done) => {
    request.ctx = contextOf(request, reply);
    done();
  });
  app.setErrorHandler((error, request, reply) => sendErrorPage(error, request, reply));

  const page = (path: string, show: (visit: Visit, parameters: Parameters) => PageResult) =>
    app.get(path, async (request, reply) =>
      show(await visitOf(request, reply), request.params as Parameters),
    );
  const form = (path: string, submit: (visit: Visit, parameters: Parameters) => PageResult) =>
    app.post(path, { bodyLimit: FORM_LIMIT }, async (request, reply) => {
      requireFormToken(request, request.ctx.services);
      return submit(await visitOf(request, reply), request.params as Parameters);
    });
  /** Wraps a page for signed-in users; others are redirected to sign in. */
  const signedIn =
    (show: (visit: SignedInVisit, parameters: Parameters) => PageResult) =>
    (visit: Visit, parameters: Parameters): PageResult => {
      const { actor } = visit;
      return actor ? show({ ...visit, actor }, parameters) : visit.redirect('/auth/sign-in');
    };

  const asset = (path: string, type: string, text: string) =>
    app.get(path, (_request, reply) =>
      reply
        .header('cache-control', `public, max-age=${ASSET_AGE}, immutable`)
        .type(`${type}; charset=utf-8`)
        .send(text),
    );

  asset(STYLES_PATH, 'text/css', STYLES);
  asset(PASSKEY_SCRIPT_PATH, 'text/javascript', PASSKEY_SCRIPT);
  for (const path of APP_PATHS) page(`/app${path}`, showAppPage);

  page('/', showStart);

  page('/auth/sign-in', (visit) => {
    if (visit.actor) return visit.redirect(safeReturnTo(visit.query('returnTo')));
    return showSignIn(visit, visit.query('done') === 'out' ? { message: visit.texts.signedOut } : {});
  });
  form('/auth/sign-in', signIn);
  form('/auth/sign-out', signOut);
  page('/auth/forgotten', (visit) => showForgotten(visit));
  form('/auth/forgotten', requestLink);
  page('/auth/password/:secret', (visit, { secret = '' }) => showNewPassword(visit, secret));
  form('/auth/password/:secret', (visit, { secret = '' }) => saveNewPassword(visit, secret));
  page('/auth/verify/:secret', (visit, { secret = '' }) => showVerification(visit, secret));
  form('/auth/verify/:secret', (visit, { secret = '' }) => verify(visit, secret));
  page('/auth/invites/:secret', (visit, { secret = '' }) => showInvite(visit, secret));
  form('/auth/invites/:secret', (visit, { secret = '' }) => acceptInvite(visit, secret));

  page(oidcPath(':name', 'start'), (visit, { name = '' }) => startProviderSignIn(visit, name));
  page(oidcPath(':name', 'callback'), (visit, { name = '' }) => finishProviderSignIn(visit, name));
  page(SECOND_FACTOR_PAGE, (visit) => factor.showSecondFactor(visit));
  form(SECOND_FACTOR_PAGE, factor.submitSecondFactor);

  page('/auth', (visit) => visit.redirect(HOME));
  page(
    HOME,
    signedIn((visit) => account.showAccount(visit)),
  );
  form(`${HOME}/profile`, signedIn(account.saveProfile));
  form(`${HOME}/verification`, signedIn(account.requestVerification));
  form(`${HOME}/password`, signedIn(account.changePassword));
  form(`${HOME}/sessions/end`, signedIn(account.endOtherSessions));
  form(
    `${HOME}/sessions/:id/end`,
    signedIn((visit, { id = '' }) => account.endSession(visit, id)),
  );
  page(
    TOTP_SETUP_PATH,
    signedIn((visit) => factor.showSetUp(visit)),
  );
  form(TOTP_SETUP_PATH, signedIn(factor.confirmSetUp));
  form(`${TOTP_SETUP_PATH}/recovery-codes`, signedIn(factor.renewCodes));
  form(`${TOTP_SETUP_PATH}/remove`, signedIn(factor.turnOff));
  form(
    `${HOME}/passkeys/:id/name`,
    signedIn((visit, { id = '' }) => account.renamePasskey(visit, id)),
  );
  form(
    `${HOME}/passkeys/:id/remove`,
    signedIn((visit, { id = '' }) => account.removePasskey(visit, id)),
  );
  form(
    `${HOME}/identities/:id/remove`,
    signedIn((visit, { id = '' }) => account.removeIdentity(visit, id)),
  );
  form(`${HOME}/tokens`, signedIn(account.createToken));
  form(
    `${HOME}/tokens/:id/revoke`,
    signedIn((visit, { id = '' }) => account.revokeToken(visit, id)),
  );
}

/** Sends an error as a page; unexpected errors are thrown on, to be logged. */
function sendErrorPage(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status } = errorBody(error);
  if (status >= 500 && status !== 503) throw error;
  const language = languageOf(request.headers['accept-language']);
  const { texts } = language;
  const apiError = asApiError(error);
  const message = status === 400 ? texts.formExpired : messageFor(apiError, texts);
  const retryAfter = retryAfterOf([apiError]);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  return sendPage(reply, language, {
    title: texts.failed,
    status,
    body: html`${notice(message, 'bad')}<p class="more"><a href="/auth/sign-in">${texts.signIn}</a></p>`,
  });
}
