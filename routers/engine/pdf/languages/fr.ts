import type { PdfTexts } from './texts.ts';

export const fr: PdfTexts = {
  contents: 'Sommaire',
  changeRequest: 'Demande de modification',
  untitled: 'Sans titre',
  picture: 'Image',
  moreRows: 'Autres lignes',
  tooDeep: 'La suite est imbriquée trop profondément pour être affichée avec sa structure.',
  plainPage: 'Cette page n’a pas pu être mise en page ; voici son texte.',
  missingPage: 'Cette page n’a pas pu être mise en page et a été omise.',
  integration: 'Un bloc de l’intégration {} n’est pas affiché ici.',
  pictureNotLoaded: 'L’image n’a pas pu être chargée.',
  tooManyPictures: 'Le PDF contient trop d’images provenant d’autres serveurs.',
  pictureProblems: {
    missing: 'Une image{} est manquante.',
    unreadable: 'Une image{} est illisible.',
    late: 'Une image{} n’a pas pu être lue à temps.',
    tooLarge: 'Une image{} est trop volumineuse.',
    empty: 'Une image{} est vide.',
  },
};
