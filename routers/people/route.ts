import { taggedRoutes } from '../base/route.ts';

export const membersRoute = taggedRoutes('Members');
export const teamsRoute = taggedRoutes('Teams');
export const usersRoute = taggedRoutes('Users');
