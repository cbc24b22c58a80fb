import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sendMail } from '../../server/auth/mails.ts';
import { jobContext } from '../../server/context.ts';
import { type Mailbox, startMailbox } from '../helpers/mailbox.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';

const DAY = 86_400_000;

let service: TestService;
let mailbox: Mailbox;
let organization: { id: string; admin: { token: string } };

beforeAll(async () => {
  mailbox = await startMailbox();
  service = await startTestService(mailbox.environment);
  const { database, services, jobs } = service.runtime;
  await jobs.work(jobContext(database, services));
  organization = await service.build.organization();
});
afterAll(async () => {
  await service.close();
  await mailbox.close();
});

async function invite(email: string, expiresAt?: string): Promise<string> {
  const admin = service.as(organization.admin.token);
  const path = `/orgs/${organization.id}/invites`;
  const { invites } = await expectOk(admin.post(path, { emails: [email], role: 'read', expiresAt }));
  return invites[0].id;
}

test.each([
  [2, 2],
  [60, 30],
  [undefined, 30],
])(
  'the mail of an invite that expires in %s days says until when its link is valid: %s days',
  async (days, until) => {
    const email = `in${days}@mails.example`;
    const time = (after: number) => new Date(Date.now() + after * DAY);
    await invite(email, days === undefined ? undefined : time(days).toISOString());
    // A minute may pass at midnight.
    const dates = [time(until), new Date(time(until).getTime() - 60_000)].map((date) =>
      new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(date),
    );
    const text = await mailbox.mailTo(email);
    const [, said] = /The link works once, until (.+?) at .+ UTC\./.exec(text) ?? [];
    expect(dates).toContain(said);
  },
);

test('an invite that expires before its mail is sent gets none', async () => {
  const { database, services } = service.runtime;
  const send = vi.fn(async () => {});
  const context = jobContext(database, { ...services, mailer: { isConfigured: true, send } });
  const id = await invite('late@mails.example', new Date(Date.now() + DAY).toISOString());
  await sendMail(context, { kind: 'invite', invite: id });
  expect(send).toHaveBeenCalledTimes(1);
  await database.db
    .updateTable('invite')
    .set({ expires_at: new Date(Date.now() - 1000) })
    .where('id', '=', id)
    .execute();
  await sendMail(context, { kind: 'invite', invite: id });
  expect(send).toHaveBeenCalledTimes(1);
});
