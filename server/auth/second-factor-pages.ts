import type { FastifyReply } from 'fastify';
import { HOME } from '../../routers/auth/return-to.ts';
import { SECOND_FACTOR_PAGE } from '../../routers/auth/second-factor.operation.ts';
import { findPendingSignIn } from '../../routers/auth/sign-in.operation.ts';
import { Html, html } from '../http/html.ts';
import { showAccount } from './account-page.ts';
import { redirectWithMessage, type SignedInVisit } from './account-section.ts';
import { TOTP_SETUP_PATH } from './account-sign-in-methods.ts';
import { asCallError, messageFor, statusOf } from './call-errors.ts';
import { fieldOf } from './forms.ts';
import { field, notice } from './layout.ts';
import { PASSKEY_SCRIPT_PATH } from './passkey-script.ts';
import { passkeyOption } from './sign-in-options.ts';
import type { Visit } from './visit.ts';

/** The code that was submitted, cut to a length that no valid code exceeds. */
const codeOf = ({ request }: Visit): string => fieldOf(request, 'code').slice(0, 100);

interface State {
  problem?: string;
  status?: number;
}

/** The message and status for a code that was not accepted. */
function codeError(error: unknown, { texts }: Visit): Required<State> {
  const callError = asCallError(error);
  const isWrong = callError.code === 'UNAUTHORIZED' || callError.code === 'BAD_REQUEST';
  return { problem: isWrong ? texts.wrongCode : messageFor(callError, texts), status: statusOf(callError) };
}

const codeField = ({ texts }: Visit, hint: string, problem: string | undefined): Html =>
  field({
    name: 'code',
    label: texts.code,
    autocomplete: 'one-time-code',
    hint,
    problem,
    hasFocus: true,
    maxLength: 40,
  });

/** The secret for an authenticator app, as a QR code and as text, and the form for the first code. */
async function enrolment(
  visit: Visit,
  { secret, uri }: { secret: string; uri: string },
  { action, problem }: { action: string; problem: string | undefined },
): Promise<Html> {
  const { texts, token } = visit;
  // Loaded only when first needed.
  const { renderSVG } = await import('uqr');
  const picture = new Html(renderSVG(uri, { border: 2 }));
  const spaced = secret.replace(/(.{4})(?!$)/g, '$1 ');
  return html`<p>${texts.setUpAppIntro}</p>
<div class="qr" role="img" aria-label="${texts.qrCode}">${picture}</div>
<p>${texts.secretByHand} <code>${spaced}</code></p>
<form method="post" action="${action}">
${token}${codeField(visit, texts.firstCodeHint, problem)}
<button class="full">${texts.continue}</button>
</form>`;
}

/** Shows new recovery codes, which are never shown again. */
const showRecoveryCodes = ({ texts, show }: Visit, codes: readonly string[], next: string): FastifyReply =>
  show({
    title: texts.recoveryCodes,
    body: html`<p>${texts.recoveryCodesIntro}</p>
<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<a class="button" href="${next}">${texts.continue}</a>`,
  });

/** Shows the second step of a sign-in: asks for a code, or sets up an authenticator app. */
export async function showSecondFactor(
  visit: Visit,
  { problem, status = 200 }: State = {},
): Promise<FastifyReply> {
  const { texts, token, call } = visit;
  let body: Html;
  let title = texts.secondFactor;
  try {
    const { totp, passkey } = await call.pendingSecondFactor.get({});
    if (totp) {
      body = html`<form method="post" action="${SECOND_FACTOR_PAGE}">
${token}${codeField(visit, texts.codeHint, problem)}
<button class="full">${texts.continue}</button>
</form>${passkey && (await passkeyInstead(visit))}`;
    } else if (passkey) {
      body = html`<p>${texts.secondFactorRequired} ${texts.secondFactorPasskey}</p>
${await passkeyInstead(visit)}<noscript><p>${texts.scriptNeeded}</p></noscript>`;
    } else {
      const secret = await call.pendingSecondFactor.setUp({});
      title = texts.setUpApp;
      body = html`<p>${texts.secondFactorRequired}</p>${await enrolment(visit, secret, { action: SECOND_FACTOR_PAGE, problem })}`;
    }
  } catch (error) {
    if (asCallError(error).code !== 'NOT_FOUND') throw error;
    return showSignInExpired(visit);
  }
  return visit.show({ title, status, body, script: PASSKEY_SCRIPT_PATH });
}

/** The button that signs in with a passkey instead, and leads where the pending sign-in would have led. */
async function passkeyInstead(visit: Visit): Promise<Html> {
  const { db, browser } = visit.request.ctx;
  const pending = await findPendingSignIn(db, browser);
  return html`<div class="options">${passkeyOption(visit, pending?.returnTo ?? HOME)}</div>`;
}

const showSignInExpired = ({ texts, show }: Visit): FastifyReply =>
  show({
    title: texts.signIn,
    status: 404,
    body: html`${notice(texts.signInExpired, 'bad')}<p class="more"><a href="/auth/sign-in">${texts.signIn}</a></p>`,
  });

export async function submitSecondFactor(visit: Visit): Promise<FastifyReply> {
  try {
    const { next, recoveryCodes } = await visit.call.pendingSecondFactor.signIn({ code: codeOf(visit) });
    return recoveryCodes ? showRecoveryCodes(visit, recoveryCodes, next) : visit.redirect(next);
  } catch (error) {
    if (asCallError(error).code === 'NOT_FOUND') return showSignInExpired(visit);
    return showSecondFactor(visit, codeError(error, visit));
  }
}

export async function showSetUp(
  visit: SignedInVisit,
  { problem, status = 200 }: State = {},
): Promise<FastifyReply> {
  const { texts, call } = visit;
  try {
    const secret = await call.secondFactor.setUp({});
    return visit.show({
      title: texts.setUpApp,
      status,
      body: await enrolment(visit, secret, { action: TOTP_SETUP_PATH, problem }),
    });
  } catch (error) {
    if (asCallError(error).code !== 'CONFLICT') throw error;
    return visit.redirect(HOME);
  }
}

export async function confirmSetUp(visit: SignedInVisit): Promise<FastifyReply> {
  try {
    const { recoveryCodes } = await visit.call.secondFactor.confirm({ code: codeOf(visit) });
    return showRecoveryCodes(visit, recoveryCodes, HOME);
  } catch (error) {
    return showSetUp(visit, codeError(error, visit));
  }
}

/** Runs an action of the account page that requires a code. */
async function runWithCode(
  visit: SignedInVisit,
  field: string,
  work: (code: string) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work(fieldOf(visit.request, field).slice(0, 100));
  } catch (error) {
    const { problem, status } = codeError(error, visit);
    return showAccount(visit, { problems: { all: problem }, status });
  }
}

export const renewCodes = (visit: SignedInVisit): Promise<FastifyReply> =>
  runWithCode(visit, 'code-renew', async (code) => {
    const { recoveryCodes } = await visit.call.secondFactor.renewRecoveryCodes({ code });
    return showRecoveryCodes(visit, recoveryCodes, HOME);
  });

export const turnOff = (visit: SignedInVisit): Promise<FastifyReply> =>
  runWithCode(visit, 'code-remove', async (code) => {
    await visit.call.secondFactor.remove({ code });
    return redirectWithMessage(visit, 'secondFactorOff');
  });
