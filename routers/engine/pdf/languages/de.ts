import type { PdfTexts } from './texts.ts';

export const de: PdfTexts = {
  contents: 'Inhalt',
  changeRequest: 'Änderungsantrag',
  untitled: 'Ohne Titel',
  picture: 'Bild',
  moreRows: 'Weitere Zeilen',
  tooDeep: 'Der folgende Inhalt ist zu tief verschachtelt, um mit seiner Struktur dargestellt zu werden.',
  plainPage: 'Diese Seite konnte nicht mit ihrem Layout gesetzt werden; dies ist ihr Text.',
  missingPage: 'Diese Seite konnte nicht gesetzt werden und wurde ausgelassen.',
  integration: 'Ein Block der Integration {} wird hier nicht angezeigt.',
  pictureNotLoaded: 'Das Bild konnte nicht geladen werden.',
  tooManyPictures: 'Das PDF enthält zu viele Bilder von anderen Servern.',
  pictureProblems: {
    missing: 'Ein Bild{} fehlt.',
    unreadable: 'Ein Bild{} kann nicht gelesen werden.',
    late: 'Ein Bild{} konnte nicht rechtzeitig gelesen werden.',
    tooLarge: 'Ein Bild{} ist zu groß.',
    empty: 'Ein Bild{} ist leer.',
  },
};
