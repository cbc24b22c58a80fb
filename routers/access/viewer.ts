import type { TokenScope } from '../../schema/enums.ts';
import type { Actor, Services } from '../context.ts';
import type { Urls } from '../ports.ts';
import type { Membership } from './levels.ts';

/** Whom an answer is for, as far as it depends on them; `role` is their own in the organization it is about. */
export interface Viewer extends Membership {
  userId: string;
  scope: TokenScope;
  urls: Urls;
}

/** The caller of a procedure; without a membership where the answer is about no organization. */
export const viewerOf = (
  { actor, services }: { actor: Actor; services: Services },
  member: Membership | null,
): Viewer => ({
  userId: actor.user.id,
  role: member?.role ?? null,
  scope: actor.token.scope,
  urls: services.urls,
});

/** Whoever runs the installation sees of everything what an admin sees. */
export const operatorViewer = (urls: Urls): Viewer => ({ userId: '', role: 'admin', scope: 'write', urls });
