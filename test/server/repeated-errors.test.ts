import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { loggerOptions } from '../../server/logger.ts';
import { openRepeatedErrors } from '../../server/repeated-errors.ts';

/** As pg-boss emits it. */
const refused = (worker: string) => {
  const error = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
  return { ...error, message: error.message, stack: error.stack, worker };
};

test('an error that repeats is logged once per interval, with its message, code and number, until it ends', () => {
  vi.useFakeTimers();
  const lines: { err: object; repeated?: number }[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  const errors = openRepeatedErrors(pino(loggerOptions('error'), { write }), 'job queue');
  for (let i = 0; i < 100; i++) errors.log(refused(`${i}`));
  errors.log(new Error('another'));
  const err = { type: 'object', message: 'connect ECONNREFUSED 127.0.0.1:5432', code: 'ECONNREFUSED' };
  expect(lines).toMatchObject([{ err, msg: 'job queue' }, { err: { message: 'another' } }]);
  expect(lines[0]).not.toHaveProperty('repeated');
  vi.advanceTimersByTime(11_000);
  expect(lines.splice(0)).toMatchObject([{}, {}, { err: { ...err, worker: '99' }, repeated: 99 }]);
  vi.advanceTimersByTime(60_000);
  expect(lines).toEqual([]);
  errors.log(refused('again'));
  errors.log(refused('again'));
  expect(lines).toHaveLength(1);
  errors.close();
  vi.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(1);
  vi.useRealTimers();
});
