import { messageOf, oneLine } from '../failures.ts';
import { onShutdown } from '../shutdown.ts';
import { closeInstallation } from './installation.ts';
import { main } from './program.ts';

/** A command ends at most this long after a signal, in milliseconds. */
const STOP_LIMIT = 9000;

// Files that a command creates are private unless stated otherwise.
process.umask(0o077);

let isStopped = false;

onShutdown(STOP_LIMIT, async (cause) => {
  isStopped = true;
  if ('signal' in cause) process.stderr.write('Stopped.\n');
  if ('error' in cause) process.stderr.write(`${oneLine(messageOf(cause.error))}\n`);
  await Promise.allSettled([closeInstallation()]);
  if ('error' in cause) return 1;
  return cause.signal === 'SIGINT' ? 130 : 143;
});

// A reader that closes the pipe early, like `head`, is not a failure: the command continues.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const code = await main(process.argv, () => isStopped);
// Flush first: exiting would lose output that is still in a pipe.
await Promise.all([process.stdout, process.stderr].map(flushed));
// If a signal stopped the command, its handler exits after closing what was opened.
if (!isStopped) process.exit(code);

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}
