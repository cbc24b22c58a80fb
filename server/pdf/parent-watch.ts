/** A thread that ends its process once the one that started it is gone. */

import { workerData } from 'node:worker_threads';

/** How often it looks, in milliseconds. */
const INTERVAL = 500;

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, INTERVAL);
