import '../compile-cache.ts';
import { messageOf, oneLine } from '../failures.ts';
import { endInOrder } from '../shutdown.ts';

/** A command that is told to stop does so within this time, in milliseconds. */
const STOP_LIMIT = 4500;

// What is imported statically is compiled before the cache is there.
const [{ main }, { closeInstallation }] = await Promise.all([
  import('./program.ts'),
  import('./installation.ts'),
]);

endInOrder(STOP_LIMIT, async (cause) => {
  if ('error' in cause) process.stderr.write(`${oneLine(messageOf(cause.error))}\n`);
  await Promise.allSettled([closeInstallation()]);
  if ('error' in cause) return 1;
  return cause.signal === 'SIGINT' ? 130 : 143;
});

process.exit(await main(process.argv));
