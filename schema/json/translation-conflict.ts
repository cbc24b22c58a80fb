/** A place in a translated space where a run would have overwritten an edit by a user. */
export interface TranslationConflict {
  /** As in a conflict of a change request. */
  kind: string;
  page?: string;
  file?: string;
  reusableContent?: string;
  /** The key of the block. */
  block?: string;
  field?: string;
}
