import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { loggerOptions } from '../../server/logger.ts';
import { withoutWorker } from '../../server/queue-error.ts';
import { openRepeatedErrors } from '../../server/repeated-errors.ts';

/** As the workers of pg-boss emit it. */
const refused = (worker: string) => {
  const error = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
  const message = `${error.message} (Queue: send-mail, Worker: ${worker})`;
  const stack = error.stack?.replace(error.message, message);
  return withoutWorker({
    ...error,
    message,
    ...(stack !== undefined && { stack }),
    queue: 'send-mail',
    worker,
  });
};

test('an error that repeats is logged once per interval, with its message, code and number, until it ends', () => {
  vi.useFakeTimers();
  const lines: { err: object; repeated?: number }[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  const errors = openRepeatedErrors(pino(loggerOptions('error'), { write }), 'error');
  for (let i = 0; i < 100; i++) errors.log(refused(`${i}`), 'job queue');
  errors.log(new Error('another'), 'job queue');
  const err = { type: 'object', message: 'connect ECONNREFUSED 127.0.0.1:5432', code: 'ECONNREFUSED' };
  expect(lines).toMatchObject([{ err, msg: 'job queue' }, { err: { message: 'another' } }]);
  expect(lines[0]).not.toHaveProperty('repeated');
  vi.advanceTimersByTime(11_000);
  expect(lines.splice(0)).toMatchObject([{}, {}, { err: { ...err, queue: 'send-mail' }, repeated: 99 }]);
  vi.advanceTimersByTime(60_000);
  expect(lines).toEqual([]);
  errors.log(refused('again'), 'job queue');
  errors.log(refused('again'), 'job queue');
  expect(lines).toHaveLength(1);
  errors.close();
  vi.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(1);
  vi.useRealTimers();
});
