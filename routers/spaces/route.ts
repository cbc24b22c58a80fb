import { taggedRoutes } from '../base/route.ts';

export const route = taggedRoutes('Spaces');
