import { sql } from 'kysely';
import {
  issueInviteLink,
  issuePasswordLink,
  issueVerificationLink,
  LINK_LIFETIME,
  linkPath,
} from '../../routers/auth/links.operation.ts';
import type { Context } from '../../routers/base/context.ts';
import type { MailJob } from '../../routers/base/ports.ts';
import type { Mail } from '../../routers/base/sign-in-ports.ts';
import { formatTime, languageOf } from './languages/index.ts';

/** With the time zone, as the recipient may be anywhere. */
const INVITE_TIME: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'long',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
};

/** The mail for a job; undefined if there is no recipient any more, or the invite has expired. */
async function mailOf({ db, services }: Context, job: MailJob): Promise<Mail | undefined> {
  const { urls } = services;
  const compose = (to: string, subject: string, lines: string[]): Mail => ({
    to,
    subject,
    text: `${lines.join('\n\n')}\n`,
  });
  if (job.kind === 'invite') {
    const found = await db
      .selectFrom('invite')
      .innerJoin('organization', 'organization.id', 'invite.organization_id')
      .select(['invite.email', 'invite.expires_at as expiresAt', 'organization.title'])
      .where('invite.id', '=', job.invite)
      // guard: mail-of-expired-invite
      .where((eb) =>
        eb.or([eb('invite.expires_at', 'is', null), eb('invite.expires_at', '>', sql<Date>`now()`)]),
      )
      .executeTakeFirst();
    if (!found?.email) return undefined;
    const { secret, expiresAt } = await issueInviteLink(db, { id: job.invite, expiresAt: found.expiresAt });
    const language = languageOf();
    const { subject, intro, outro } = language.texts.mails.invite;
    const link = urls.absolute(linkPath('invites', secret));
    const until = formatTime(language, expiresAt, INVITE_TIME);
    return compose(found.email, subject(found.title), [intro(found.title), link, outro(until)]);
  }
  const { mails } = languageOf(job.language).texts;
  const user = await db
    .selectFrom('user')
    .select(['id', 'email'])
    .where((eb) => (job.kind === 'password-reset' ? eb('email', '=', job.email) : eb('id', '=', job.user)))
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  if (!user) return undefined;
  const { subject, intro, outro } = mails[job.kind === 'password-reset' ? 'reset' : 'verification'];
  const { secret } =
    job.kind === 'password-reset'
      ? await issuePasswordLink(db, user.id, { email: user.email, lifetime: LINK_LIFETIME.reset })
      : await issueVerificationLink(db, user.id, user.email);
  const link = urls.absolute(linkPath(job.kind === 'password-reset' ? 'password' : 'verify', secret));
  return compose(user.email, subject, [intro, link, outro]);
}

/** Sends the mail of a job. The secret is created only now, so that the queue holds none; a retry creates another. */
export async function sendMail(context: Context, job: MailJob): Promise<void> {
  const mail = await mailOf(context, job);
  if (mail) await context.services.mailer.send(mail);
}
