/** The worker that highlights code and typesets formulas: some grammars take long on some texts. */

import { parentPort } from 'node:worker_threads';
import katex from 'katex';
import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { bundledLanguages } from 'shiki/langs';
import type { CodeToken } from '../document/render-context.ts';
import type { Outcome, Task, Tokens, WorkerMessage } from './protocol.ts';

/** Variables of the theme, with their classes in the style sheet. */
const CLASSES: Record<string, string> = {
  'token-keyword': 'k',
  'token-string': 's',
  'token-string-expression': 's',
  'token-comment': 'c',
  'token-constant': 'n',
  'token-function': 'f',
  'token-parameter': 'p',
  'token-punctuation': 'u',
  'token-link': 's',
  'token-inserted': 'i',
  'token-deleted': 'd',
  'token-changed': 'k',
};

/** Other names that authors use for languages. */
const ALIASES: Record<string, string> = {
  golang: 'go',
  text: 'plaintext',
  env: 'dotenv',
  curl: 'shell',
  http: 'http',
};

const theme = createCssVariablesTheme({ name: 'variables', variablePrefix: '', fontStyle: false });

let loading: Promise<HighlighterCore> | undefined;
const loadHighlighter = () =>
  (loading ??= createHighlighterCore({
    themes: [theme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  }));

async function tokensOf(language: string, text: string): Promise<Tokens | null> {
  const syntax = ALIASES[language] ?? language;
  if (!Object.hasOwn(bundledLanguages, syntax)) return null;
  const highlighter = await loadHighlighter();
  const name = syntax as keyof typeof bundledLanguages;
  if (!highlighter.getLoadedLanguages().includes(name))
    await highlighter.loadLanguage(bundledLanguages[name]);
  const { tokens } = highlighter.codeToTokens(text, { lang: name, theme: 'variables' });
  return tokens.map((line) =>
    mergeTokens(line.map(({ color = '', content }) => ({ c: classOf(color), t: content }))),
  );
}

const classOf = (color: string) =>
  CLASSES[/^var\(([\w-]+)\)$/.exec(color)?.[1]?.replace(/^-+/, '') ?? ''] ?? '';

/** Merges adjacent tokens of the same kind. */
function mergeTokens(tokens: readonly CodeToken[]): CodeToken[] {
  const result: CodeToken[] = [];
  for (const token of tokens) {
    const last = result.at(-1);
    if (last && (last.c === token.c || token.t.trim() === '')) last.t += token.t;
    else result.push({ ...token });
  }
  return result;
}

function formulaOf(text: string, isBlock: boolean): string | null {
  try {
    const mathml = katex.renderToString(text, {
      displayMode: isBlock,
      output: 'mathml',
      strict: false,
      trust: false,
      maxSize: 50,
      maxExpand: 500,
    });
    // The policy of pages forbids style attributes.
    return mathml.replace(/ style="[^"]*"/g, '');
  } catch (error) {
    if (error instanceof katex.ParseError) return null;
    throw error;
  }
}

const outcomeOf = async (task: Task): Promise<Outcome> =>
  task.kind === 'code' ? tokensOf(task.syntax, task.text) : formulaOf(task.text, task.isBlock);

parentPort?.on('message', async ({ id, value }: WorkerMessage<Task>) => {
  const outcome = await outcomeOf(value);
  parentPort?.postMessage({ id, value: outcome } satisfies WorkerMessage<Outcome>);
});
