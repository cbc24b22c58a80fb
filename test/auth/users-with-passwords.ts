import { linkIn, type Mailbox } from '../helpers/mailbox.ts';
import type { TestService } from '../helpers/service.ts';
import { TestBrowser } from './test-browser.ts';

export const PASSWORD = 'velvet anchor 42 sonnet';
let serial = 0;
export const newEmail = () => `person${++serial}@pages.example`;

/** A user who has chosen a password with the link in a mail. */
export async function userWithPassword(service: TestService, mailbox: Mailbox, email = newEmail()) {
  const user = await service.build.user({ email, displayName: 'Jo Writer' });
  const browser = new TestBrowser(service.app);
  await browser.open('/auth/forgotten');
  await browser.submit({ email });
  await browser.open(linkIn(await mailbox.mailTo(email)));
  await browser.submit({ password: PASSWORD });
  return { ...user, email, browser };
}
