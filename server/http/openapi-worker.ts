/** A thread that generates the OpenAPI document, which takes about a second, and posts it as JSON. */

import '../compile-cache.mjs';
import { parentPort, workerData } from 'node:worker_threads';
import { openApiDocument } from './openapi.ts';

parentPort?.postMessage(JSON.stringify(openApiDocument(workerData as string)));
