import type { Actor } from '../../routers/base/principal.ts';
import type { User } from '../../schema/entities/user.ts';
import type { Row } from '../../schema/rows.ts';

/** A user who authenticates with an API token. */
export const actorOf = (id: string, scope: 'read' | 'write' = 'write'): Actor => ({
  kind: 'user',
  user: { id } as Row<User>,
  credential: { kind: 'token', id: 'token', scope, organization: null },
});

/** A user as whom a tool acts, which needs no credential. */
export const toolActorOf = (id: string): Actor => ({
  kind: 'user',
  user: { id } as Row<User>,
  credential: { kind: 'tool', id, scope: 'write', organization: null },
});
