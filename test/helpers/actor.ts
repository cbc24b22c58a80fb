import type { Actor } from '../../routers/base/principal.ts';
import type { User } from '../../schema/entities/user.ts';
import type { Row } from '../../schema/rows.ts';

/** A user as one who shows a token of theirs. */
export const actorOf = (id: string, scope: 'read' | 'write' = 'write'): Actor => ({
  kind: 'user',
  user: { id } as Row<User>,
  credential: { kind: 'token', id: 'token', scope, organization: null },
});
