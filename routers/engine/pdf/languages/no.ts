import type { PdfTexts } from './texts.ts';

export const no: PdfTexts = {
  contents: 'Innhold',
  changeRequest: 'Endringsforespørsel',
  untitled: 'Uten tittel',
  picture: 'Bilde',
  moreRows: 'Flere rader',
  tooDeep: 'Det som følger, er nøstet for dypt til å vises med sin struktur.',
  plainPage: 'Denne siden kunne ikke settes med sitt oppsett; dette er teksten.',
  missingPage: 'Denne siden kunne ikke settes og er utelatt.',
  integration: 'En blokk fra integrasjonen {} vises ikke her.',
  pictureNotLoaded: 'Bildet kunne ikke lastes inn.',
  tooManyPictures: 'PDF-en har for mange bilder fra andre servere.',
  pictureProblems: {
    missing: 'Et bilde{} mangler.',
    unreadable: 'Et bilde{} kan ikke leses.',
    late: 'Et bilde{} kunne ikke leses i tide.',
    tooLarge: 'Et bilde{} er for stort.',
    empty: 'Et bilde{} er tomt.',
  },
};
