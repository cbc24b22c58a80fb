import type { PdfTexts } from './texts.ts';

export const en: PdfTexts = {
  contents: 'Contents',
  changeRequest: 'Change request',
  untitled: 'Untitled',
  picture: 'Picture',
  moreRows: 'More rows',
  tooDeep: 'What follows is nested too deeply to be shown with its structure.',
  plainPage: 'This page could not be typeset with its layout; this is its text.',
  missingPage: 'This page could not be typeset and was left out.',
  integration: 'A block of the integration {} is not shown here.',
  tooManyPictures: 'The PDF has too many pictures from other servers.',
  pictureProblems: {
    missing: 'A picture{} is missing.',
    unreadable: 'A picture{} cannot be read.',
    late: 'A picture{} could not be read in time.',
    tooLarge: 'A picture{} is too large.',
    empty: 'A picture{} is empty.',
  },
};
