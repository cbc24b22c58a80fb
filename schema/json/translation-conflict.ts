/** A place of a translated space where people had changed what a run would have changed. */
export interface TranslationConflict {
  /** As of a conflict of a change request. */
  kind: string;
  page?: string;
  file?: string;
  reusableContent?: string;
  /** The key of the block. */
  block?: string;
  field?: string;
}
