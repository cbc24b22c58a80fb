/** Names in what browsers say they are, the particular before those that they claim to be compatible with. */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['CriOS', 'Chrome'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
  ['curl', 'curl'],
] as const;

const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
] as const;

const nameIn = (text: string, names: readonly (readonly [string, string])[]) =>
  names.find(([sign]) => text.includes(sign))?.[1];

/** Browser and system in the words that people know them by, from the `User-Agent` header; empty for an unknown one. */
export const deviceOf = (userAgent: string): string =>
  [nameIn(userAgent, BROWSERS), nameIn(userAgent, SYSTEMS)].filter(Boolean).join(', ');
