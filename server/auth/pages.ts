import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findPasswordLink } from '../../routers/auth/links.operation.ts';
import { oidcPath } from '../../routers/auth/oidc.operation.ts';
import { HOME, safeReturnTo } from '../../routers/auth/return-to.ts';
import { SECOND_FACTOR_PAGE } from '../../routers/auth/second-factor.operation.ts';
import type { RequestContext } from '../context.ts';
import { html } from '../http/html.ts';
import { errorBody } from '../http/http-errors.ts';
import { SET_UP } from './account-factors.ts';
import * as account from './account-page.ts';
import type { OwnVisit } from './account-parts.ts';
import { APP_PATHS, showAppPage } from './app-page.ts';
import { FORM_LIMIT, parseForms, requireForm } from './forms.ts';
import { acceptInvitation, showInvitation } from './invitation-pages.ts';
import { languageOf } from './languages/index.ts';
import { notice, STYLES, STYLES_PATH, sendPage } from './layout.ts';
import { returnFromProvider, startAtProvider } from './oidc-pages.ts';
import { PASSKEY_SCRIPT, PASSKEY_SCRIPT_PATH } from './passkey-script.ts';
import * as factor from './second-factor-pages.ts';
import {
  requestLink,
  saveNewPassword,
  showExpired,
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

/** How long browsers keep styles and scripts, in seconds: another version has another address. */
const ASSET_AGE = 365 * 86_400;

type Shown = FastifyReply | Promise<FastifyReply>;
type Parameters = Record<string, string>;

/**
 * Serves the pages for signing in and of one's own account, which work without scripts.
 * @param contextOf makes the context of a page's request: whoever follows a link from elsewhere stays signed in
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
  app.setErrorHandler((error, request, reply) => sendFailure(error, request, reply));

  const page = (path: string, show: (visit: Visit, parameters: Parameters) => Shown) =>
    app.get(path, async (request, reply) =>
      show(await visitOf(request, reply), request.params as Parameters),
    );
  const form = (path: string, take: (visit: Visit, parameters: Parameters) => Shown) =>
    app.post(path, { bodyLimit: FORM_LIMIT }, async (request, reply) => {
      requireForm(request, request.ctx.services);
      return take(await visitOf(request, reply), request.params as Parameters);
    });
  /** Of whoever is signed in; others sign in first. */
  const own =
    (show: (visit: OwnVisit, parameters: Parameters) => Shown) =>
    (visit: Visit, parameters: Parameters): Shown => {
      const { actor } = visit;
      return actor ? show({ ...visit, actor }, parameters) : visit.goTo('/auth/sign-in');
    };

  for (const path of APP_PATHS) page(`/app${path}`, showAppPage);

  app.get(STYLES_PATH, (_request, reply) =>
    reply
      .header('cache-control', `public, max-age=${ASSET_AGE}, immutable`)
      .type('text/css; charset=utf-8')
      .send(STYLES),
  );

  app.get(PASSKEY_SCRIPT_PATH, (_request, reply) =>
    reply
      .header('cache-control', `public, max-age=${ASSET_AGE}, immutable`)
      .type('text/javascript; charset=utf-8')
      .send(PASSKEY_SCRIPT),
  );

  page('/', showStart);

  page('/auth/sign-in', (visit) => {
    if (visit.actor) return visit.goTo(safeReturnTo(visit.query('returnTo')));
    return showSignIn(visit, visit.query('done') === 'out' ? { message: visit.texts.signedOut } : {});
  });
  form('/auth/sign-in', signIn);
  form('/auth/sign-out', signOut);
  page('/auth/forgotten', (visit) => showForgotten(visit));
  form('/auth/forgotten', requestLink);
  page('/auth/password/:secret', async (visit, { secret = '' }) => {
    const isGood = await findPasswordLink(visit.request.ctx.db, secret);
    return isGood ? showNewPassword(visit, secret) : showExpired(visit);
  });
  form('/auth/password/:secret', (visit, { secret = '' }) => saveNewPassword(visit, secret));
  page('/auth/verify/:secret', (visit, { secret = '' }) => showVerification(visit, secret));
  form('/auth/verify/:secret', (visit, { secret = '' }) => verify(visit, secret));
  page('/auth/invites/:secret', (visit, { secret = '' }) => showInvitation(visit, secret));
  form('/auth/invites/:secret', (visit, { secret = '' }) => acceptInvitation(visit, secret));

  page(oidcPath(':name', 'start'), (visit, { name = '' }) => startAtProvider(visit, name));
  page(oidcPath(':name', 'callback'), (visit, { name = '' }) => returnFromProvider(visit, name));
  page(SECOND_FACTOR_PAGE, (visit) => factor.showSecondFactor(visit));
  form(SECOND_FACTOR_PAGE, factor.giveSecondFactor);

  page('/auth', (visit) => visit.goTo(HOME));
  page(
    HOME,
    own((visit) => account.showAccount(visit)),
  );
  form(`${HOME}/profile`, own(account.saveProfile));
  form(`${HOME}/verification`, own(account.requestVerification));
  form(`${HOME}/password`, own(account.changePassword));
  form(`${HOME}/sessions/end`, own(account.endOtherSessions));
  form(
    `${HOME}/sessions/:id/end`,
    own((visit, { id = '' }) => account.endSession(visit, id)),
  );
  page(
    SET_UP,
    own((visit) => factor.showSetUp(visit)),
  );
  form(SET_UP, own(factor.confirmSetUp));
  form(`${SET_UP}/recovery-codes`, own(factor.renewCodes));
  form(`${SET_UP}/remove`, own(factor.turnOff));
  form(
    `${HOME}/passkeys/:id/name`,
    own((visit, { id = '' }) => account.renamePasskey(visit, id)),
  );
  form(
    `${HOME}/passkeys/:id/remove`,
    own((visit, { id = '' }) => account.removePasskey(visit, id)),
  );
  form(
    `${HOME}/identities/:id/remove`,
    own((visit, { id = '' }) => account.removeIdentity(visit, id)),
  );
  form(`${HOME}/tokens`, own(account.createToken));
  form(
    `${HOME}/tokens/:id/revoke`,
    own((visit, { id = '' }) => account.revokeToken(visit, id)),
  );
}

/** A failure as a page; what is not expected is logged by whoever throws it further. */
function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status } = errorBody(error);
  if (status >= 500 && status !== 503) throw error;
  const language = languageOf(request.headers['accept-language']);
  const { texts } = language;
  const message =
    { 400: texts.formExpired, 429: texts.tooManyAttempts, 503: texts.tooBusy }[status] ?? texts.failed;
  if (status === 429 || status === 503) reply.header('retry-after', '1');
  return sendPage(reply, language, {
    title: texts.failed,
    status,
    body: html`${notice(message, 'bad')}<p class="more"><a href="/auth/sign-in">${texts.signIn}</a></p>`,
  });
}
