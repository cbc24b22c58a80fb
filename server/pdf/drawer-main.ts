/** The process that draws one drawing, which ends after some seconds, and with the one that started it. */

import '../compile-cache.ts';
import { draw, MAX_DRAWING_TIME } from './images.ts';

/** How often it looks, in milliseconds. */
const INTERVAL = 500;

const parent = process.ppid;
const end = Date.now() + MAX_DRAWING_TIME * 1000;
setInterval(() => {
  if (process.ppid !== parent || Date.now() > end) process.kill(process.pid, 'SIGKILL');
}, INTERVAL);

await draw(process.argv[2] as string);
process.exit();
