/** What the service may use to work with languages; `server/` implements it. */

import type { IssueEngineName, Language, TranslationEngineName } from '../../schema/enums.ts';
import type { ConversationText, ExtractedIssue } from '../engine/conversations/extract.ts';
import type { ClusterDescription } from '../engine/conversations/model-responses.ts';

/** Texts to translate, as tagged text (`engine/translation/tagged-text.ts`). */
interface TranslationRequest {
  texts: readonly string[];
  source: Language;
  target: Language;
  /** What people say about how to translate, as Markdown; empty if they say nothing. */
  instructions: string;
  /** The terms that are in some of the texts, with how they are to be translated. */
  terms: readonly { source: string; target: string }[];
}

/** Translates texts. */
export interface TranslationEngine {
  name: TranslationEngineName;
  /** What stands for it in the translation memory: another model translates otherwise. */
  id: string;
  /** Whether instructions, and terms where they may be inflected, are sent to it. */
  acceptsInstructions: boolean;
  /** What it takes in one request, and how many requests at once. */
  limits: { texts: number; characters: number; requests: number };
  /**
   * The translation of each text, in order; undefined for those that it gave none for, which may be asked for again.
   * @throws EngineFailure if it cannot be used, also after some attempts
   */
  translate(request: TranslationRequest): Promise<(string | undefined)[]>;
}

/** Finds what conversations are about. */
export interface IssueEngine {
  name: IssueEngineName;
  /** Conversations that are processed in one transaction, and how many requests at once. */
  limits: { conversations: number; requests: number };
  /**
   * The issues of a conversation.
   * @param instructions what the organization tells models, as Markdown; empty if it tells them nothing
   * @throws EngineFailure if it cannot be used, also after some attempts
   * @throws UnusableResponse if nothing can be done with what it answers
   */
  extract(conversation: ConversationText, instructions: string): Promise<ExtractedIssue[]>;
  /** Describes a cluster by some of its issues. Clusters are named after one of their issues if the engine does not. */
  describe?(
    issues: readonly Pick<ExtractedIssue, 'title' | 'summary'>[],
    instructions: string,
  ): Promise<ClusterDescription>;
}

/** What an engine answers to one request is of no use: a plain sentence, which users read. */
export class UnusableResponse extends Error {
  override readonly name = 'UnusableResponse';
}

/** Why an engine cannot be used: a plain sentence, which users read. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
}
