/** The interfaces to engines that process natural language; `server/` implements them. */

import type { IssueEngineName, Language, TranslationEngineName } from '../../schema/enums.ts';
import type { ConversationText, ExtractedIssue } from '../engine/conversations/extract.ts';
import type { ClusterDescription } from '../engine/conversations/model-responses.ts';

/** Texts to translate, as tagged text (`engine/translation/tagged-text.ts`). */
interface TranslationRequest {
  texts: readonly string[];
  source: Language;
  target: Language;
  /** Instructions on how to translate, as Markdown; empty if there are none. */
  instructions: string;
  /** The glossary terms in the texts, with their translations. */
  terms: readonly { source: string; target: string }[];
}

/** Translates texts. */
export interface TranslationEngine {
  name: TranslationEngineName;
  /** Identifies it in the translation memory: another model translates differently. */
  id: string;
  /** Whether it accepts instructions, and terms that may be inflected. */
  acceptsInstructions: boolean;
  /** The most that it accepts in a request, and the most requests at a time. */
  limits: { texts: number; characters: number; requests: number };
  /**
   * Translates texts, in order; undefined for those that it returned no translation for, which can be requested again.
   * @throws EngineFailure if it cannot be used, even after several attempts
   */
  translate(request: TranslationRequest): Promise<(string | undefined)[]>;
}

/** Finds what conversations are about. */
export interface IssueEngine {
  name: IssueEngineName;
  /** The most conversations per transaction, and the most requests at a time. */
  limits: { conversations: number; requests: number };
  /**
   * Extracts the issues of a conversation.
   * @param instructions the organization's instructions for models, as Markdown; empty if there are none
   * @throws EngineFailure if it cannot be used, even after several attempts
   * @throws UnusableResponse if its response cannot be used
   */
  extract(conversation: ConversationText, instructions: string): Promise<ExtractedIssue[]>;
  /** Describes a cluster by some of its issues. Without this function, clusters are named after one of their issues. */
  describe?(
    issues: readonly Pick<ExtractedIssue, 'title' | 'summary'>[],
    instructions: string,
  ): Promise<ClusterDescription>;
}

/** The response of an engine to a request cannot be used. The message is a plain sentence for users. */
export class UnusableResponse extends Error {
  override readonly name = 'UnusableResponse';
}

/** An engine cannot be used. The message is a plain sentence for users. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
}
