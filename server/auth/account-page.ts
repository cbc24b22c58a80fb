import type { FastifyReply } from 'fastify';
import { passwordProblem } from '../../routers/auth/passwords.ts';
import { passwordOf } from '../../routers/auth/verified-password.operation.ts';
import { normalizeEmail } from '../../routers/base/email-addresses.ts';
import { type Html, html } from '../http/html.ts';
import {
  type AccountSection,
  LIST_LIMIT,
  redirectWithMessage,
  type SignedInVisit,
  section,
  timeElement,
} from './account-section.ts';
import { identitySection, passkeySection, secondFactorSection } from './account-sign-in-methods.ts';
import { asCallError, fieldsOf, messageFor, statusOf } from './call-errors.ts';
import { fieldOf } from './forms.ts';
import type { Texts } from './languages/texts.ts';
import { field, notice, usernameField } from './layout.ts';
import { PASSKEY_SCRIPT_PATH } from './passkey-script.ts';

/** The sections below the password, in order. */
const SECTIONS: readonly AccountSection[] = [secondFactorSection, passkeySection, identitySection];

/** Messages about the last action, by the value of `done` in the query string. */
const MESSAGES: Record<string, keyof Texts & string> = {
  saved: 'saved',
  password: 'passwordSaved',
  session: 'sessionEnded',
  sessions: 'sessionsEnded',
  token: 'tokenRevoked',
  mail: 'verificationSent',
  passkey: 'passkeyAdded',
  passkeyRemoved: 'passkeyRemoved',
  identityRemoved: 'identityRemoved',
  secondFactorOff: 'secondFactorOff',
};

/** Lifetimes offered for tokens, in days. */
const TOKEN_DAYS = [7, 30, 90, 365];

const DAY = 24 * 3_600_000;

interface Problems {
  name?: string | undefined;
  current?: string | undefined;
  password?: string | undefined;
  tokenName?: string | undefined;
  all?: string | undefined;
}

interface State {
  problems?: Problems;
  /** The secret of a new token, rows only once. */
  secret?: string;
  status?: number;
}

export async function showAccount(
  visit: SignedInVisit,
  { problems = {}, secret, status = 200 }: State = {},
): Promise<FastifyReply> {
  const { texts, token, actor } = visit;
  const action = visit.query('done') ?? '';
  const message = Object.hasOwn(MESSAGES, action)
    ? (texts[MESSAGES[action] as keyof Texts] as string)
    : undefined;
  const isFullAccess = actor.credential.organization === null;
  const sections = await Promise.all([
    // A session opened by an organization's identity provider is limited to that organization, not to the account.
    ...(isFullAccess ? [profile(visit, problems), password(visit, problems)] : []),
    ...(isFullAccess ? SECTIONS.map((section) => section(visit)) : []),
    sessions(visit),
    tokens(visit, problems),
  ]);
  return visit.show({
    title: texts.account,
    status,
    isWide: true,
    script: PASSKEY_SCRIPT_PATH,
    body: html`${notice(problems.all, 'bad')}${notice(message)}
${secret !== undefined && notice(html`${texts.newToken} <code>${secret}</code>`)}
<div class="top"><p>${actor.user.displayName}</p>
<form method="post" action="/auth/sign-out">${token}<button class="plain small">${texts.signOut}</button></form></div>
${sections}`,
  });
}

async function profile({ texts, token, actor, request }: SignedInVisit, problems: Problems): Promise<Html> {
  const { email, emailVerifiedAt, displayName } = actor.user;
  const { mailer } = request.ctx.services;
  const canSend = !emailVerifiedAt && mailer.isConfigured && normalizeEmail(email) !== undefined;
  return section(
    texts.profile,
    undefined,
    html`<p>${email}<span class="badge">${emailVerifiedAt ? texts.isVerified : texts.isNotVerified}</span></p>
${canSend && html`<form method="post" action="/auth/account/verification">${token}<p><button class="plain small">${texts.sendVerification}</button></p></form>`}
<form method="post" action="/auth/account/profile">
${token}${field({ name: 'name', label: texts.name, value: displayName, autocomplete: 'name', problem: problems.name, maxLength: 64 })}
<button>${texts.save}</button>
</form>`,
  );
}

async function password({ texts, token, actor, request }: SignedInVisit, problems: Problems): Promise<Html> {
  const hasOne = (await passwordOf(request.ctx.db, actor.user.id)) !== undefined;
  const isOpen = problems.current !== undefined || problems.password !== undefined;
  return section(
    texts.password,
    undefined,
    html`<details${isOpen && html` open`}><summary>${hasOne ? texts.changePassword : texts.createPassword}</summary>
<form method="post" action="/auth/account/password">
${token}${usernameField(actor.user.email)}
${hasOne && field({ name: 'current', label: texts.currentPassword, type: 'password', autocomplete: 'current-password', problem: problems.current })}
${field({ name: 'password', label: texts.newPassword, type: 'password', autocomplete: 'new-password', hint: texts.passwordHint, problem: problems.password })}
<button>${texts.setPassword}</button>
</form></details>`,
  );
}

async function sessions({ texts, token, call, language }: SignedInVisit): Promise<Html> {
  const { items } = await call.sessions.list({ limit: LIST_LIMIT });
  const rows = items.map(
    ({ id, current, device, address, lastSeenAt, method }) => html`<li><div>${device || texts.unknownDevice}${
      current && html`<span class="badge">${texts.thisSession}</span>`
    }<small>${address} · ${texts.methods[method]} · ${texts.lastSeen} ${timeElement(language, lastSeenAt, {
      dateStyle: 'medium',
      timeStyle: 'short',
    })} UTC</small></div>
${!current && html`<form method="post" action="/auth/account/sessions/${id}/end">${token}<button class="plain small" aria-label="${texts.end}: ${device || texts.unknownDevice}, ${address}">${texts.end}</button></form>`}</li>`,
  );
  return section(
    texts.sessions,
    texts.sessionsIntro,
    html`<ul class="list">${rows}</ul>
${items.length > 1 && html`<form method="post" action="/auth/account/sessions/end">${token}<button class="plain">${texts.endOthers}</button></form>`}`,
  );
}

async function tokens({ texts, token, call, language }: SignedInVisit, problems: Problems): Promise<Html> {
  const { items } = await call.users.tokens.list({ limit: LIST_LIMIT });
  const until = (iso: string | undefined) =>
    iso === undefined
      ? undefined
      : html` · ${texts.until} ${timeElement(language, iso, { dateStyle: 'medium' })}`;
  const rows = items.map(
    ({
      id,
      name,
      scope,
      expiresAt,
    }) => html`<li><div>${name}<small>${scope === 'read' ? texts.tokenReads : texts.tokenWrites}${until(expiresAt)}</small></div>
<form method="post" action="/auth/account/tokens/${id}/revoke">${token}<button class="plain small" aria-label="${texts.revoke}: ${name}">${texts.revoke}</button></form></li>`,
  );
  const lifetimes = TOKEN_DAYS.map(
    (days) => html`<option value="${days}"${days === 90 && html` selected`}>${texts.days(days)}</option>`,
  );
  return section(
    texts.tokens,
    texts.tokensIntro,
    html`${items.length > 0 ? html`<ul class="list">${rows}</ul>` : html`<p>${texts.noTokens}</p>`}
<details${problems.tokenName !== undefined && html` open`}><summary>${texts.createToken}</summary>
<form method="post" action="/auth/account/tokens">
${token}${field({ name: 'tokenName', label: texts.tokenName, autocomplete: 'off', problem: problems.tokenName, maxLength: 100 })}
<div class="row"><div class="field"><label for="days">${texts.expires}</label><select id="days" name="days">${lifetimes}<option value="">${texts.expiresNever}</option></select></div>
<div class="field check"><input type="checkbox" id="read" name="read" value="1"><label for="read">${texts.readOnly}</label></div></div>
<button>${texts.createToken}</button>
</form></details>`,
  );
}

/** Runs an action and redirects with a message, or shows the page with the error. */
async function runAction(
  visit: SignedInVisit,
  work: () => Promise<unknown>,
  name: string,
  problemsOf: (fields: Set<string>) => Problems = () => ({}),
): Promise<FastifyReply> {
  try {
    await work();
  } catch (error) {
    const callError = asCallError(error);
    // What was to be removed is already gone.
    if (callError.code === 'NOT_FOUND') return redirectWithMessage(visit, name);
    const problems = problemsOf(fieldsOf(callError));
    const isKnown = Object.values(problems).some(Boolean);
    return showAccount(visit, {
      problems: isKnown ? problems : { all: messageFor(callError, visit.texts) },
      status: statusOf(callError),
    });
  }
  return redirectWithMessage(visit, name);
}

export function saveProfile(visit: SignedInVisit): Promise<FastifyReply> {
  const { request, texts, actor, call } = visit;
  const displayName = fieldOf(request, 'name').trim();
  if (displayName === '' || [...displayName].length > 64)
    return showAccount(visit, { problems: { name: texts.nameMissing }, status: 400 });
  return runAction(visit, () => call.users.update({ userId: actor.user.id, displayName }), 'saved');
}

export function changePassword(visit: SignedInVisit): Promise<FastifyReply> {
  const { request, texts, actor, call } = visit;
  const current = fieldOf(request, 'current');
  const next = fieldOf(request, 'password');
  const weakness = passwordProblem(next, [actor.user.email, actor.user.displayName]);
  if (weakness)
    return showAccount(visit, { problems: { password: texts.passwordProblems[weakness] }, status: 400 });
  const given = { password: next, ...(current !== '' && { current }) };
  return runAction(
    visit,
    () => call.auth.changePassword(given),
    'password',
    (fields) => (fields.has('current') ? { current: texts.wrongCurrent } : {}),
  );
}

export const requestVerification = (visit: SignedInVisit): Promise<FastifyReply> =>
  runAction(visit, () => visit.call.auth.requestVerification({ language: visit.language.code }), 'mail');

export function renamePasskey(visit: SignedInVisit, passkeyId: string): Promise<FastifyReply> {
  const name = fieldOf(visit.request, `name-${passkeyId}`).trim();
  return runAction(visit, () => visit.call.passkeys.update({ passkeyId, name }), 'saved');
}

export const removePasskey = (visit: SignedInVisit, passkeyId: string): Promise<FastifyReply> =>
  runAction(visit, () => visit.call.passkeys.remove({ passkeyId }), 'passkeyRemoved');

export const removeIdentity = (visit: SignedInVisit, identityId: string): Promise<FastifyReply> =>
  runAction(visit, () => visit.call.identities.remove({ identityId }), 'identityRemoved');

export const endSession = (visit: SignedInVisit, sessionId: string): Promise<FastifyReply> =>
  runAction(visit, () => visit.call.sessions.end({ sessionId }), 'session');

export const endOtherSessions = (visit: SignedInVisit): Promise<FastifyReply> =>
  runAction(visit, () => visit.call.sessions.endOthers({}), 'sessions');

export const revokeToken = (visit: SignedInVisit, tokenId: string): Promise<FastifyReply> =>
  runAction(visit, () => visit.call.users.tokens.revoke({ tokenId }), 'token');

export async function createToken(visit: SignedInVisit): Promise<FastifyReply> {
  const { request, texts, call } = visit;
  const name = fieldOf(request, 'tokenName').trim();
  if (name === '' || [...name].length > 100)
    return showAccount(visit, { problems: { tokenName: texts.tokenNameMissing }, status: 400 });
  const days = Number(fieldOf(request, 'days'));
  const scope = fieldOf(request, 'read') === '' ? 'write' : 'read';
  const expiresAt = TOKEN_DAYS.includes(days) ? new Date(Date.now() + days * DAY).toISOString() : undefined;
  const { token } = await call.users.tokens.create({ name, scope, ...(expiresAt && { expiresAt }) });
  return showAccount(visit, { secret: token, status: 201 });
}
