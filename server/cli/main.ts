import '../compile-cache.ts';
import { messageOf, oneLine } from '../failures.ts';
import { endInOrder } from '../shutdown.ts';

/** A command ends this long after it was told to, in milliseconds, whatever else happens. */
const STOP_LIMIT = 9000;

// Nothing that a command makes is for others on the machine, unless it says so.
process.umask(0o077);

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

// A reader that has seen enough, as `head` has, is no failure: the command goes on to its end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const code = await main(process.argv);
// What is on its way through a pipe would be lost.
await Promise.all([process.stdout, process.stderr].map(flushed));
process.exit(code);

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}
