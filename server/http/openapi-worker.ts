/** The thread in which the OpenAPI document is made, which takes about a second: posts it as JSON, and ends. */

import '../compile-cache.ts';
import { parentPort, workerData } from 'node:worker_threads';
import { openApiDocument } from './openapi.ts';

parentPort?.postMessage(JSON.stringify(openApiDocument(workerData as string)));
