import type { PdfTexts } from './texts.ts';

export const pl: PdfTexts = {
  contents: 'Spis treści',
  changeRequest: 'Propozycja zmian',
  untitled: 'Bez tytułu',
  picture: 'Obraz',
  moreRows: 'Pozostałe wiersze',
  tooDeep: 'Dalsza treść jest zagnieżdżona zbyt głęboko, aby pokazać ją z jej strukturą.',
  plainPage: 'Tej strony nie udało się złożyć z jej układem; oto jej tekst.',
  missingPage: 'Tej strony nie udało się złożyć, więc ją pominięto.',
  integration: 'Blok integracji {} nie jest tu pokazany.',
  pictureNotLoaded: 'Nie udało się wczytać obrazu.',
  tooManyPictures: 'Plik PDF zawiera zbyt wiele obrazów z innych serwerów.',
  pictureProblems: {
    missing: 'Brakuje obrazu{}.',
    unreadable: 'Nie można odczytać obrazu{}.',
    late: 'Nie udało się na czas odczytać obrazu{}.',
    tooLarge: 'Obraz{} jest za duży.',
    empty: 'Obraz{} jest pusty.',
  },
};
