/**
 * Loaded before anything else by `npm start` and its like, so that it must work on any Node.js: without the packages, npm
 * finds the Node.js of the machine, which may fail in ways that nobody understands.
 */
import { existsSync } from 'node:fs';

if (!existsSync(new URL('../node_modules/node', import.meta.url))) {
  console.error(
    'The packages are not installed. Run `npm ci` first: it installs the Node.js that Colophon runs on, too.',
  );
  process.exit(1);
}
// Only modules that are loaded after this one are cached.
await import('./compile-cache.mjs');
