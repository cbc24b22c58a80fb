import { hash } from 'node:crypto';
import type { Translation } from '../../schema/entities/translation.ts';
import type { Row } from '../../schema/rows.ts';
import type { Db } from '../base/db.ts';
import type { TranslationEngine } from '../base/language-ports.ts';
import { runInTurns } from '../base/run-in-turns.ts';
import type { Document } from '../engine/document/document.ts';
import { serializeMarkdown } from '../engine/markdown/markdown.ts';
import { createGlossary, type Glossary } from '../engine/translation/glossary.ts';
import { readAgentInstructions } from '../organizations/agent-instructions.query.ts';

/** What the translations of a run depend on besides the texts. */
export interface RunContext {
  instructions: string;
  glossary: Glossary;
  /** The digest of all of it. */
  digest: string;
}

/** Reads the instructions and the glossary for a run. */
export async function readRunContext(
  db: Db,
  { organization, sourceLanguage, language, instructions }: Row<Translation>,
  engine: TranslationEngine,
): Promise<RunContext> {
  const entries = await db
    .selectFrom('glossary_entry')
    .select('translations')
    .where('organization_id', '=', organization)
    .orderBy('id')
    .execute();
  const terms = entries.flatMap(({ translations }) => {
    const source = translations[sourceLanguage];
    const target = translations[language];
    return source && target ? [{ source, target }] : [];
  });
  const all = engine.acceptsInstructions
    ? [
        await readAgentInstructions(db, organization),
        instructions ? serializeMarkdown(instructions as Document).trim() : '',
      ]
        .filter((text) => text !== '')
        .join('\n\n')
    : '';
  const digest = hash(
    'sha256',
    JSON.stringify([engine.id, sourceLanguage, language, all, terms]),
    'base64url',
  );
  return { instructions: all, glossary: await runInTurns(createGlossary(terms)), digest };
}
