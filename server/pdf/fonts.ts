// For scripts that check types across `colophon/tool`.
/// <reference path="./wawoff2.d.ts" />
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import wawoff2 from 'wawoff2';

const PACKAGES = new URL('../../node_modules/', import.meta.url);

interface FontFiles {
  /** The family name inside the files. */
  family: string;
  files: readonly string[];
}

const LATIN = ['Regular', 'Italic', 'Medium', 'SemiBold', 'Bold', 'BoldItalic'];
const WEIGHTS = ['400Regular', '700Bold'];

const googleFont = (name: string, file: string, weights = WEIGHTS): string[] =>
  weights.map((weight) => `@expo-google-fonts/${name}/${weight}/${file}_${weight}.ttf`);
const embedFont = (name: string, file: string, type: string): string[] =>
  ['Regular', 'Bold'].map((weight) => `@embedpdf/fonts-${name}/fonts/${file}-${weight}.${type}`);

const FONTS = {
  latin: {
    family: 'Noto Sans',
    files: LATIN.map((style) => `@embedpdf/fonts-latin/fonts/NotoSans-${style}.ttf`),
  },
  arabic: { family: 'Noto Naskh Arabic', files: embedFont('arabic', 'NotoNaskhArabic', 'ttf') },
  hebrew: { family: 'Noto Sans Hebrew', files: embedFont('hebrew', 'NotoSansHebrew', 'ttf') },
  thai: { family: 'Noto Sans Thai', files: googleFont('noto-sans-thai', 'NotoSansThai') },
  devanagari: {
    family: 'Noto Sans Devanagari',
    files: googleFont('noto-sans-devanagari', 'NotoSansDevanagari'),
  },
  japanese: { family: 'Noto Sans Japanese', files: embedFont('jp', 'NotoSansJP', 'otf') },
  simplified: { family: 'Noto Sans S Chinese', files: embedFont('sc', 'NotoSansHans', 'otf') },
  traditional: { family: 'Noto Sans T Chinese', files: embedFont('tc', 'NotoSansHant', 'otf') },
  korean: { family: 'Noto Sans Korean', files: embedFont('kr', 'NotoSansKR', 'otf') },
  code: {
    family: 'JetBrains Mono',
    files: googleFont('jetbrains-mono', 'JetBrainsMono', [...WEIGHTS, '400Regular_Italic', '700Bold_Italic']),
  },
  emoji: { family: 'Twemoji Mozilla', files: ['twemoji-colr-font/twemoji.woff2'] },
} as const satisfies Record<string, FontFiles>;

type FontName = keyof typeof FONTS;

/** Fonts built into the typesetter, used for formulas and for symbols that the other fonts lack. */
const BUILT_IN = ['DejaVu Sans Mono', 'New Computer Modern Math', 'Libertinus Serif'];

/** Scripts that share characters: the first font determines their shapes. */
const EAST_ASIAN = ['simplified', 'traditional', 'japanese', 'korean'] as const;
type EastAsian = (typeof EAST_ASIAN)[number];

const BY_LANGUAGE: Readonly<Record<string, EastAsian>> = {
  ja: 'japanese',
  ko: 'korean',
  zh: 'simplified',
  yue: 'traditional',
};

/** Scripts that need a font of their own, with their characters. */
const SCRIPTS: readonly [FontName, RegExp][] = [
  ['arabic', /\p{Script=Arabic}/u],
  ['hebrew', /\p{Script=Hebrew}/u],
  ['thai', /\p{Script=Thai}/u],
  ['devanagari', /\p{Script=Devanagari}/u],
  ['emoji', /\p{Extended_Pictographic}|\p{Regional_Indicator}|\ufe0f/u],
];

const HAN = /\p{Script=Han}|[\u3000-\u303f\uff00-\uffef]/u;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HANGUL = /\p{Script=Hangul}/u;
const BOPOMOFO = /\p{Script=Bopomofo}/u;

export interface FontChoice {
  fonts: readonly FontName[];
  /** Font families, in fallback order. */
  body: readonly string[];
  code: readonly string[];
}

/** Creates a chooser, which scans texts and then chooses the fonts that they need. */
export function createFontChooser(language: string | null) {
  const found = new Set<FontName>();
  const shared = { han: false, kana: false, hangul: false, bopomofo: false };
  return {
    scan(text: string): void {
      for (const [name, pattern] of SCRIPTS) if (!found.has(name) && pattern.test(text)) found.add(name);
      shared.han ||= HAN.test(text);
      shared.kana ||= KANA.test(text);
      shared.hangul ||= HANGUL.test(text);
      shared.bopomofo ||= BOPOMOFO.test(text);
    },
    /** The installed fonts for the scanned texts. */
    choose(): FontChoice {
      const own = BY_LANGUAGE[language ?? ''];
      const first =
        own ??
        (shared.kana
          ? 'japanese'
          : shared.bopomofo
            ? 'traditional'
            : shared.hangul
              ? 'korean'
              : 'simplified');
      const needsOthers = shared.han || shared.kana || shared.hangul || shared.bopomofo;
      const eastAsian = needsOthers ? [first, ...EAST_ASIAN.filter((name) => name !== first)] : [];
      const other = SCRIPTS.flatMap(([name]) => (found.has(name) && name !== 'emoji' ? [name] : []));
      const emoji = found.has('emoji') ? (['emoji'] as const) : [];
      const fonts = (['latin', 'code', ...other, ...eastAsian, ...emoji] as FontName[]).filter(isInstalled);
      const families = (names: readonly FontName[]) =>
        names.filter((name) => fonts.includes(name)).map((name) => FONTS[name].family);
      const rest = families([...other, ...eastAsian, ...emoji]);
      return {
        fonts,
        body: ['Noto Sans', ...rest, ...BUILT_IN],
        code: ['JetBrains Mono', 'DejaVu Sans Mono', 'Noto Sans', ...rest, ...BUILT_IN.slice(1)],
      };
    },
  };
}

const isInstalled = (name: FontName): boolean =>
  FONTS[name].files.every((file) => existsSync(new URL(file, PACKAGES)));

/** Reads the files of fonts. East Asian fonts are large, so only those that a book needs are read. */
export async function readFonts(names: readonly FontName[]): Promise<Buffer[]> {
  const files = names.flatMap((name): readonly string[] => FONTS[name].files);
  return Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(new URL(file, PACKAGES));
      return file.endsWith('.woff2') ? Buffer.from(await wawoff2.decompress(bytes)) : bytes;
    }),
  );
}
