import { chapter } from '../route.ts';

export const route = chapter('Change requests');
export const contentRoute = chapter('Change request content');
export const commentsRoute = chapter('Change request comments');
