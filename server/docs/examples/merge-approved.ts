// Merges the open change requests of a space whose last reviews approve them: node merge-approved.ts <space id> [user]
import { openInstallation } from 'colophon/tool';

await using installation = await openInstallation();
const [spaceId = '', user = 'admin@localhost'] = process.argv.slice(2);
const bot = await installation.actAs(user);
const { items } = await bot.changeRequests.listInSpace({ spaceId, status: 'open', limit: 1000 });
for (const { id: changeRequestId, number, subject } of items) {
  const reviews = await bot.changeRequestReviews.list({ spaceId, changeRequestId, outdated: false });
  if (reviews.count === 0 || reviews.items.some(({ status }) => status !== 'approved')) continue;
  const { result } = await bot.changeRequests.merge({ spaceId, changeRequestId });
  console.log(`#${number} ${subject}: ${result}`);
}
