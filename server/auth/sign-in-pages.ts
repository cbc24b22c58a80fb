import type { FastifyReply } from 'fastify';
import { findPasswordLinkAccount, linkPath } from '../../routers/auth/links.operation.ts';
import { normalizePassword, passwordProblem } from '../../routers/auth/passwords.ts';
import { HOME, safeReturnTo } from '../../routers/auth/return-to.ts';
import { normalizeAccountEmail } from '../../routers/base/email-addresses.ts';
import { html } from '../http/html.ts';
import { asCallError, messageFor, statusOf } from './call-errors.ts';
import { fieldOf } from './forms.ts';
import { field, notice, usernameField } from './layout.ts';
import { PASSKEY_SCRIPT_PATH } from './passkey-script.ts';
import { SIGN_IN_OPTIONS } from './sign-in-options.ts';
import type { Visit } from './visit.ts';

interface SignInState {
  email?: string;
  problem?: string;
  message?: string;
  status?: number;
}

export function showSignIn(visit: Visit, state: SignInState = {}): FastifyReply {
  const { texts, token } = visit;
  const returnTo = safeReturnTo(visit.query('returnTo') ?? fieldOf(visit.request, 'returnTo'));
  const options = SIGN_IN_OPTIONS.map((option) => option(visit, returnTo));
  return visit.show({
    title: texts.signIn,
    status: state.status ?? 200,
    script: PASSKEY_SCRIPT_PATH,
    body: html`${notice(state.problem, 'bad')}${notice(state.message)}
<form method="post" action="/auth/sign-in">
${token}<input type="hidden" name="returnTo" value="${returnTo}">
${field({ name: 'email', label: texts.email, type: 'email', value: state.email, autocomplete: 'username', hasFocus: !state.email })}
${field({ name: 'password', label: texts.password, type: 'password', autocomplete: 'current-password', hasFocus: Boolean(state.email) })}
<button class="full">${texts.signIn}</button>
</form>
<p class="more"><a href="/auth/forgotten">${texts.forgotten}</a></p>
<div class="options">${options}</div>`,
  });
}

export async function signIn(visit: Visit): Promise<FastifyReply> {
  const { request, texts, call } = visit;
  const email = fieldOf(request, 'email').slice(0, 1000);
  const password = fieldOf(request, 'password');
  if (normalizePassword(password) === undefined)
    return showSignIn(visit, { email, problem: texts.passwordProblems['too-long'], status: 400 });
  try {
    const { next } = await call.auth.signIn({ email, password, returnTo: returnToOf(visit) });
    return visit.redirect(next);
  } catch (error) {
    const callError = asCallError(error);
    const problem = callError.code === 'UNAUTHORIZED' ? texts.wrongCredentials : messageFor(callError, texts);
    return showSignIn(visit, { email, problem, status: statusOf(callError) });
  }
}

const returnToOf = ({ request }: Visit): string => safeReturnTo(fieldOf(request, 'returnTo'));

export async function signOut(visit: Visit): Promise<FastifyReply> {
  await visit.call.auth.signOut({});
  return visit.redirect('/auth/sign-in?done=out');
}

export function showForgotten(visit: Visit, state: { email?: string; problem?: string } = {}): FastifyReply {
  const { texts, token, request } = visit;
  const isConfigured = request.ctx.services.mailer.isConfigured;
  return visit.show({
    title: texts.forgottenTitle,
    status: state.problem === undefined ? 200 : 400,
    body: isConfigured
      ? html`<p>${texts.forgottenIntro}</p>
<form method="post" action="/auth/forgotten">
${token}${field({ name: 'email', label: texts.email, type: 'email', value: state.email, autocomplete: 'username', problem: state.problem, hasFocus: true })}
<button class="full">${texts.sendLink}</button>
</form>
<p class="more"><a href="/auth/sign-in">${texts.signIn}</a></p>`
      : html`<p>${texts.noMail}</p><p class="more"><a href="/auth/sign-in">${texts.signIn}</a></p>`,
  });
}

export async function requestLink(visit: Visit): Promise<FastifyReply> {
  const { request, texts, call, language } = visit;
  const email = fieldOf(request, 'email').slice(0, 1000);
  if (normalizeAccountEmail(email) === undefined)
    return showForgotten(visit, { email, problem: texts.notEmail });
  try {
    await call.auth.requestPasswordLink({ email, language: language.code });
  } catch (error) {
    const callError = asCallError(error);
    return visit.show({
      title: texts.forgottenTitle,
      status: statusOf(callError),
      body: html`${notice(messageFor(callError, texts), 'bad')}`,
    });
  }
  return visit.show({ title: texts.forgottenTitle, body: html`${notice(texts.linkSent)}` });
}

/** Shows that a link is no longer valid, with a link to the page where another is requested. */
const showExpired = (
  { texts, show }: Visit,
  { path, title }: { path: string; title: string } = { path: '/auth/forgotten', title: texts.forgottenTitle },
): FastifyReply =>
  show({
    title: texts.linkExpired,
    status: 404,
    body: html`<p>${texts.linkExpiredHint}</p><p class="more"><a href="${path}">${title}</a></p>`,
  });

export async function showNewPassword(
  visit: Visit,
  secret: string,
  { problem, status = 200 }: Pick<SignInState, 'problem' | 'status'> = {},
): Promise<FastifyReply> {
  const { texts, token, request } = visit;
  const email = await findPasswordLinkAccount(request.ctx.db, secret);
  if (email === undefined) return showExpired(visit);
  return visit.show({
    title: texts.forgottenTitle,
    status,
    body: html`<p>${texts.email}: <strong>${email}</strong></p>
<form method="post" action="${linkPath('password', secret)}">
${token}${usernameField(email)}
${field({ name: 'password', label: texts.newPassword, type: 'password', autocomplete: 'new-password', hint: texts.passwordHint, problem, hasFocus: true })}
<button class="full">${texts.setPassword}</button>
</form>`,
  });
}

export async function saveNewPassword(visit: Visit, secret: string): Promise<FastifyReply> {
  const { request, texts, call } = visit;
  const password = fieldOf(request, 'password');
  const weakness = passwordProblem(password);
  if (weakness)
    return showNewPassword(visit, secret, { problem: texts.passwordProblems[weakness], status: 400 });
  try {
    const { next } = await call.auth.setPassword({ secret, password });
    return visit.redirect(next === HOME ? `${HOME}?done=password` : next);
  } catch (error) {
    const callError = asCallError(error);
    const isPersonal = callError.code === 'BAD_REQUEST';
    const problem = isPersonal ? texts.passwordProblems.personal : messageFor(callError, texts);
    return showNewPassword(visit, secret, { problem, status: statusOf(callError) });
  }
}

/** Asks a user to confirm their address. Others sign in first. */
export function showVerification(visit: Visit, secret: string): FastifyReply {
  const { texts, token, actor } = visit;
  const path = linkPath('verify', secret);
  if (!actor) return visit.redirect(`/auth/sign-in?returnTo=${encodeURIComponent(path)}`);
  return visit.show({
    title: texts.verifyTitle,
    body: html`<p>${texts.verifyIntro}</p><p><strong>${actor.user.email}</strong></p>
<form method="post" action="${path}">${token}<button class="full">${texts.verify}</button></form>`,
  });
}

export async function verify(visit: Visit, secret: string): Promise<FastifyReply> {
  const { texts, call } = visit;
  try {
    await call.auth.verifyEmail({ secret });
  } catch (error) {
    const callError = asCallError(error);
    if (callError.code === 'NOT_FOUND') return showVerifiedOrExpired(visit);
    if (callError.code === 'UNAUTHORIZED') return showVerification(visit, secret);
    return visit.show({
      title: texts.verifyTitle,
      status: statusOf(callError),
      body: html`${notice(callError.code === 'FORBIDDEN' ? texts.verifyOtherAccount : messageFor(callError, texts), 'bad')}<p class="more"><a href="${HOME}">${texts.account}</a></p>`,
    });
  }
  return showVerified(visit);
}

const showVerified = ({ texts, show }: Visit): FastifyReply =>
  show({
    title: texts.verifyTitle,
    body: html`${notice(texts.verified)}<p class="more"><a href="${HOME}">${texts.account}</a></p>`,
  });

/** Shows why a link does not verify an address: often because it has done so before. */
const showVerifiedOrExpired = (visit: Visit): FastifyReply =>
  visit.actor?.user.emailVerifiedAt
    ? showVerified(visit)
    : showExpired(visit, { path: HOME, title: visit.texts.account });
