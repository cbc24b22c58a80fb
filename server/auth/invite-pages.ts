import type { FastifyReply } from 'fastify';
import { linkPath } from '../../routers/auth/links.operation.ts';
import { passwordProblem } from '../../routers/auth/passwords.ts';
import { normalizeEmail } from '../../routers/base/email-addresses.ts';
import { html } from '../http/html.ts';
import { asCallError, fieldsOf, messageFor, statusOf } from './call-errors.ts';
import { fieldOf } from './forms.ts';
import { field, notice, usernameField } from './layout.ts';
import type { Visit } from './visit.ts';

const MAX_NAME = 64;

interface Problems {
  name?: string | undefined;
  email?: string | undefined;
  password?: string | undefined;
  /** A problem that concerns no single field. */
  all?: string | undefined;
  status?: number;
}

const pathOf = (secret: string) => linkPath('invites', secret);

const showExpired = ({ texts, show }: Visit) =>
  show({ title: texts.inviteExpired, status: 404, body: html`<p>${texts.inviteExpiredHint}</p>` });

/** Shows an invite: signed-in users can join; others create an account, or sign in first. */
export async function showInvite(
  visit: Visit,
  secret: string,
  problems: Problems = {},
): Promise<FastifyReply> {
  const { texts, token, actor, call, request } = visit;
  let invite: Awaited<ReturnType<typeof call.auth.getInvite>>;
  try {
    invite = await call.auth.getInvite({ secret });
  } catch (error) {
    if (asCallError(error).code === 'NOT_FOUND') return showExpired(visit);
    throw error;
  }
  const { organization, email } = invite;
  const title = texts.invitedTo(organization.title);
  const { status = 200 } = problems;
  if (actor)
    return visit.show({
      title,
      status,
      body: html`${notice(problems.all, 'bad')}
<form method="post" action="${pathOf(secret)}">${token}<input type="hidden" name="join" value="1">
<button class="full">${texts.acceptAs(actor.user.displayName)}</button></form>`,
    });
  const signIn = `/auth/sign-in?returnTo=${encodeURIComponent(pathOf(secret))}`;
  return visit.show({
    title,
    status,
    body: html`${notice(problems.all, 'bad')}
<form method="post" action="${pathOf(secret)}">
${token}${field({ name: 'name', label: texts.name, value: fieldOf(request, 'name') || undefined, autocomplete: 'name', problem: problems.name, hasFocus: status === 200, maxLength: MAX_NAME })}
${
  email === undefined
    ? field({
        name: 'email',
        label: texts.email,
        type: 'email',
        value: fieldOf(request, 'email') || undefined,
        autocomplete: 'username',
        problem: problems.email,
      })
    : html`<p>${texts.email}: <strong>${email}</strong>${usernameField(email)}</p>`
}
${field({ name: 'password', label: texts.password, type: 'password', autocomplete: 'new-password', hint: texts.passwordHint, problem: problems.password })}
<button class="full">${texts.createAccount}</button>
</form>
<p class="more"><a href="${signIn}">${texts.haveAccount}</a></p>`,
  });
}

export const acceptInvite = (visit: Visit, secret: string): Promise<FastifyReply> =>
  visit.actor ? join(visit, secret) : createAccount(visit, secret);

async function join(visit: Visit, secret: string): Promise<FastifyReply> {
  const { call, texts } = visit;
  try {
    await call.auth.acceptInvite({ secret });
  } catch (error) {
    const callError = asCallError(error);
    const all = callError.code === 'NOT_FOUND' ? texts.notYourAddress : messageFor(callError, texts);
    return showInvite(visit, secret, { all, status: statusOf(callError) });
  }
  return visit.redirect('/auth/account');
}

async function createAccount(visit: Visit, secret: string): Promise<FastifyReply> {
  const { request, texts, call } = visit;
  const displayName = fieldOf(request, 'name').trim();
  const email = fieldOf(request, 'email').slice(0, 1000);
  const password = fieldOf(request, 'password');
  const weakness = passwordProblem(password, [email, displayName]);
  const problems: Problems = {
    name: displayName === '' || [...displayName].length > MAX_NAME ? texts.nameMissing : undefined,
    email: email !== '' && normalizeEmail(email) === undefined ? texts.notEmail : undefined,
    password: weakness && texts.passwordProblems[weakness],
  };
  if (Object.values(problems).some(Boolean)) return showInvite(visit, secret, { ...problems, status: 400 });
  try {
    const given = { invite: secret, displayName, password, ...(email !== '' && { email }) };
    const { next } = await call.auth.createAccount(given);
    return visit.redirect(next);
  } catch (error) {
    const callError = asCallError(error);
    if (callError.code === 'NOT_FOUND') return showExpired(visit);
    const fields = fieldsOf(callError);
    const all = callError.code === 'CONFLICT' || fields.size > 0 ? undefined : messageFor(callError, texts);
    return showInvite(visit, secret, {
      all,
      email:
        callError.code === 'CONFLICT' ? texts.emailTaken : fields.has('email') ? texts.notEmail : undefined,
      password: fields.has('password') ? texts.passwordProblems.personal : undefined,
      status: statusOf(callError),
    });
  }
}
