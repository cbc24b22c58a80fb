import type { TokenScope } from '../../schema/enums.ts';
import type { Services } from '../base/context.ts';
import type { Urls } from '../base/ports.ts';
import type { Actor } from '../base/principal.ts';
import type { Membership } from './levels.ts';

/** What a response depends on of its caller; `role` is their role in the organization that it is about. */
export interface Viewer extends Membership {
  userId: string;
  scope: TokenScope;
  urls: Urls;
}

/** The viewer for the caller of a procedure; `member` is null if the response is not about an organization. */
export const viewerOf = (
  { actor, services }: { actor: Actor; services: Services },
  member: Membership | null,
): Viewer => ({
  userId: actor.user.id,
  role: member?.role ?? null,
  scope: actor.credential.scope,
  urls: services.urls,
});

/** The operator of the installation sees everything that an admin sees. */
export const operatorViewer = (urls: Urls): Viewer => ({ userId: '', role: 'admin', scope: 'write', urls });
