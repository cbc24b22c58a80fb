/** What a PDF contains, and for whom. */
export interface PdfScope {
  /** The root of the content, and when its revision was created. */
  root: string;
  time: string;
  /** The change request whose content it is; null for the content of the space. */
  changeRequest: { number: number; subject: string } | null;
  /** The id of a page, which comes with those below it unless `only` is set; null for all pages. */
  page: string | null;
  only: boolean;
  /** The site visitor that it is for; null for members, who see everything. */
  visitor: {
    site: string;
    pass: { link?: string | undefined; key?: string | undefined; preview?: true | undefined };
    claims: { signed: Readonly<Record<string, unknown>>; unsigned: Readonly<Record<string, unknown>> };
  } | null;
}
