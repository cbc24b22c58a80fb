import type { Keywords } from './keywords.ts';
import { extractKeywords } from './keywords.ts';

/** Icons with the words they stand for; the first match wins. */
const ICONS: readonly [icon: string, words: string][] = [
  [
    'credit-card',
    'billing invoice payment refund charge subscription card price rechnung facture factura pago',
  ],
  ['lock', 'password login signin sso saml authentication mfa locked anmelden passwort contrasena connexion'],
  ['envelope', 'email mail smtp newsletter notification inbox'],
  ['webhook', 'webhook webhooks callback'],
  ['key', 'token key secret credential apikey'],
  ['download', 'export download backup'],
  ['upload', 'import upload migration csv'],
  ['users', 'member invite team permission role user'],
  ['globe', 'domain dns hostname ssl certificate'],
  ['mobile', 'android ios iphone app mobile'],
  ['truck', 'delivery shipping order package tracking'],
  ['gauge', 'slow performance timeout latency lag'],
  ['magnifying-glass', 'search find filter'],
  ['plug', 'api integration sdk plugin connector'],
  ['trash', 'delete remove cancel'],
  ['bug', 'error crash bug exception broken fail fehler erreur'],
];

const DEFAULT_ICON = 'message-question';

const BY_KEYWORD: readonly [icon: string, keywords: readonly string[]][] = ICONS.map(([icon, words]) => [
  icon,
  [...extractKeywords(words)],
]);

/** All icons that a cluster can have. */
export const CLUSTER_ICONS: readonly string[] = [...ICONS.map(([icon]) => icon), DEFAULT_ICON];

/** Chooses the icon for keywords. */
export function iconFor(keywords: Keywords): string {
  const found = BY_KEYWORD.find(([, words]) => words.some((word) => keywords.has(word)));
  return found?.[0] ?? DEFAULT_ICON;
}
