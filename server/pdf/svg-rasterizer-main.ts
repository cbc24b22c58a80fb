/** The process that rasterizes one SVG. It is killed after some seconds, or when its parent ends. */

import '../compile-cache.mjs';
import { MAX_SVG_TIME, rasterizeSvg } from './images.ts';

/** How often both are checked, in milliseconds. */
const INTERVAL = 500;

const parent = process.ppid;
const deadline = Date.now() + MAX_SVG_TIME * 1000;
setInterval(() => {
  if (process.ppid !== parent || Date.now() > deadline) process.kill(process.pid, 'SIGKILL');
}, INTERVAL);

await rasterizeSvg(process.argv[2] as string);
process.exit();
