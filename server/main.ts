import { VERSION } from './version.ts';

const USAGE = `Usage: npm start [-- --version | --help]
       npm run worker

Runs the service, or only its background jobs. Environment variables configure it: see server/docs/configuration.md.
`;

const [argument, ...others] = process.argv.slice(2);

if (argument === '--version') {
  process.stdout.write(`${VERSION}\n`);
} else if (argument === '--help') {
  process.stdout.write(USAGE);
} else if ((argument === undefined || argument === 'worker') && others.length === 0) {
  const { run } = await import('./service.ts');
  await run({ servesRequests: argument === undefined });
} else {
  process.stderr.write(`Unknown argument "${[argument, ...others].join(' ')}".\n\n${USAGE}`);
  process.exitCode = 2;
}
