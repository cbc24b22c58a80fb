/** The texts of a PDF besides its content, in the language of the space. */
export interface PdfTexts {
  contents: string;
  changeRequest: string;
  /** The title of a page without one. */
  untitled: string;
  /** Stands for a picture without alternative text, and precedes that of others. */
  picture: string;
  /** Precedes the number of rows of a table that are not shown. */
  moreRows: string;
  tooDeep: string;
  /** Precede a page that is shown as plain text, and stand for one that is left out. */
  plainPage: string;
  missingPage: string;
  /** With `{}` for the name of the integration. */
  integration: string;
  /** In place of the reason, which is known in English only. */
  pictureNotLoaded?: string;
  tooManyPictures: string;
  /** With `{}` for the alternative text of the picture in parentheses, if it has one. */
  pictureProblems: Record<PictureProblem, string>;
}

/** Why a picture is not shown. */
export type PictureProblem = 'missing' | 'unreadable' | 'late' | 'tooLarge' | 'empty';
