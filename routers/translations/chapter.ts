import { chapter } from '../route.ts';

export const route = chapter('Translations');
