/** What a PDF is of, and for whom. */
export interface PdfScope {
  /** The root of the content, and when its revision was made. */
  root: string;
  time: string;
  /** The number and the subject of the change request that it is the content of. */
  changeRequest: { number: number; subject: string } | null;
  /** A page, with those below it unless it is to stand alone. */
  page: string | null;
  only: boolean;
  /** The visitor of a site that it is for; null for members, who see everything. */
  visitor: {
    site: string;
    pass: { link?: string | undefined; key?: string | undefined; preview?: true | undefined };
    claims: { signed: Readonly<Record<string, unknown>>; unsigned: Readonly<Record<string, unknown>> };
  } | null;
}
