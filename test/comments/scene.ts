import { expect } from 'vitest';
import type { Role } from '../../schema/enums.ts';
import { open, type Scene, setScene } from '../change-requests/scene.ts';
import type { Client, TestService } from '../helpers/service.ts';

/** What can be commented on. */
export const PLACES = ['space', 'change request'] as const;
export type Place = (typeof PLACES)[number];

export interface Discussion extends Scene {
  /** The path of the space or change request that is commented on. */
  at: string;
  /** The change request, which exists in either case. */
  request: { at: string; id: string };
}

/** A space with a page and a change request, and the path of one of the two. */
export async function setDiscussion(service: TestService, place: Place): Promise<Discussion> {
  const scene = await setScene(service);
  const request = await open(scene);
  return { ...scene, request, at: place === 'space' ? scene.path : request.at };
}

/** Posts a comment, which must succeed. */
export async function comment(client: Client, at: string, given: object = {}) {
  const { status, body } = await client.post(`${at}/comments`, { body: { markdown: 'Text.' }, ...given });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** Posts a reply, which must succeed. */
export async function reply(client: Client, at: string, commentId: string, markdown = 'Yes.') {
  const { status, body } = await client.post(`${at}/comments/${commentId}/replies`, { body: { markdown } });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** A member with a role, and a client for them. */
export async function personAs(service: TestService, { organization }: Scene, role: Role) {
  const person = await service.build.member(organization, role);
  return { ...person, client: service.as(person.token) };
}

/** The number of open comments in the object, and in the list. */
export async function openCounts({ me, at }: Pick<Discussion, 'me' | 'at'>) {
  const shown = (await me.get(at)).body.comments;
  const listed = (await me.get(`${at}/comments?status=open`)).body.count;
  return { shown, listed };
}
