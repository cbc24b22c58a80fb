import { describe, expect, test } from 'vitest';
import { outageOf } from '../routers/base/outage.ts';
import { DomainError } from '../routers/engine/errors.ts';

const failure = (message: string, properties: object = {}) => Object.assign(new Error(message), properties);

describe('is an outage of the database', () => {
  test.for([
    ['it is shutting down', failure('terminating connection', { code: '57P01' })],
    ['it crashed', failure('terminating connection', { code: '57P02' })],
    ['it is starting', failure('the database system is starting up', { code: '57P03' })],
    ['it takes no more connections', failure('sorry, too many clients already', { code: '53300' })],
    ['any fault of the connection', failure('connection failure', { code: '08006' })],
    ['nobody listens', failure('connect', { code: 'ECONNREFUSED', syscall: 'connect' })],
    ['the socket is not there', failure('connect', { code: 'ENOENT', syscall: 'connect' })],
    ['the connection broke', failure('read', { code: 'ECONNRESET', syscall: 'read' })],
    ['the driver has no code for it', failure('Connection terminated unexpectedly')],
    ['the pool is closed', failure('Cannot use a pool after calling end on the pool')],
  ] as const)('%s', ([, error]) => {
    const outage = outageOf(error);
    expect(outage).toBeInstanceOf(DomainError);
    expect(outage).toMatchObject({ code: 'unavailable', cause: error });
    expect(outage?.message).not.toContain(error.message);
  });
});

describe('is something else', () => {
  test.for([
    ['a constraint', failure('duplicate key', { code: '23505' })],
    ['a deadlock', failure('deadlock detected', { code: '40P01' })],
    ['a file that is not there', failure('open', { code: 'ENOENT', syscall: 'open' })],
    ['a mistake of ours that mentions a connection', failure('no Connection terminated')],
    ['an error of the domain', new DomainError('conflict', 'It is so already.')],
    ['what is no error', { code: '57P01' }],
    ['nothing', undefined],
  ] as const)('%s', ([, error]) => {
    expect(outageOf(error)).toBeUndefined();
  });
});
