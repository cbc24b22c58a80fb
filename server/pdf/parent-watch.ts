/** A thread that kills its process when the parent process is gone. */

import { workerData } from 'node:worker_threads';

/** How often the parent is checked, in milliseconds. */
const INTERVAL = 500;

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, INTERVAL);
