import { taggedRoutes } from '../base/route.ts';

export const route = taggedRoutes('Change requests');
export const contentRoute = taggedRoutes('Change request content');
export const commentsRoute = taggedRoutes('Change request comments');
