import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { PasswordHasher } from '../routers/base/sign-in-ports.ts';
import { FairShare } from './hardening/fair-share.ts';

/** OWASP's first choice: 19 MiB, two passes, one thread; some 20 ms in the thread pool. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT = 16;
const TAG = 32;

/**
 * Few at once, which leaves threads of the pool for files and DNS. Shares are by the address of the caller; further requests
 * wait, up to a limit.
 */
const SHARES = {
  slots: { all: 2, organization: 1, user: 1 },
  waiting: { all: 100, organization: 10, user: 10 },
  messages: {
    user: 'Too many attempts at once; try again soon.',
    organization: 'Too many attempts at once; try again soon.',
    all: 'Too many people are signing in right now; try again soon.',
  },
};

const derive = promisify(argon2);

type Parameters = typeof PARAMETERS;

const FORMAT = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([\w+/]{8,64})\$([\w+/]{16,128})$/;

const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

const prefixOf = ({ memory, passes, parallelism }: Parameters) =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`;

const computeTag = (message: string, nonce: Buffer, tagLength: number, parameters: Parameters) =>
  derive('argon2id', { message, nonce, tagLength, ...parameters });

/** Verified for users without a password, so that a wrong password takes as long for them. */
const DUMMY_HASH = `${prefixOf(PARAMETERS)}${unpadded(Buffer.alloc(SALT))}$${unpadded(Buffer.alloc(TAG))}`;

/** Hashes passwords with Argon2id, in the thread pool. */
export function createPasswordHasher(): PasswordHasher {
  const share = new FairShare(SHARES);
  return {
    withLimit: (address, work) => share.run({ user: address }, work),
    async hash(password) {
      const salt = randomBytes(SALT);
      const tag = await computeTag(password, salt, TAG, PARAMETERS);
      return `${prefixOf(PARAMETERS)}${unpadded(salt)}$${unpadded(tag)}`;
    },
    async verify(password, stored) {
      const match = FORMAT.exec(stored ?? DUMMY_HASH);
      if (!match) throw new Error('a stored password has an unknown format');
      const [, memory, passes, parallelism, salt = '', expected = ''] = match;
      const parameters = {
        memory: Number(memory),
        passes: Number(passes),
        parallelism: Number(parallelism),
      };
      const tag = Buffer.from(expected, 'base64');
      const actual = await computeTag(password, Buffer.from(salt, 'base64'), tag.length, parameters);
      return timingSafeEqual(actual, tag) && stored !== null;
    },
    isOutdated: (stored) => !stored.startsWith(prefixOf(PARAMETERS)),
  };
}
