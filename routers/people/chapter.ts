import { chapter } from '../route.ts';

export const membersRoute = chapter('Members');
export const teamsRoute = chapter('Teams');
export const usersRoute = chapter('Users');
