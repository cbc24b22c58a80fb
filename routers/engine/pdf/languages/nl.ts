import type { PdfTexts } from './texts.ts';

export const nl: PdfTexts = {
  contents: 'Inhoud',
  changeRequest: 'Wijzigingsverzoek',
  untitled: 'Naamloos',
  picture: 'Afbeelding',
  moreRows: 'Meer rijen',
  tooDeep: 'Wat volgt is te diep genest om met zijn structuur te worden weergegeven.',
  plainPage: 'Deze pagina kon niet met haar opmaak worden gezet; dit is de tekst.',
  missingPage: 'Deze pagina kon niet worden gezet en is weggelaten.',
  integration: 'Een blok van de integratie {} wordt hier niet getoond.',
  pictureNotLoaded: 'De afbeelding kon niet worden geladen.',
  tooManyPictures: 'De pdf bevat te veel afbeeldingen van andere servers.',
  pictureProblems: {
    missing: 'Een afbeelding{} ontbreekt.',
    unreadable: 'Een afbeelding{} kan niet worden gelezen.',
    late: 'Een afbeelding{} kon niet op tijd worden gelezen.',
    tooLarge: 'Een afbeelding{} is te groot.',
    empty: 'Een afbeelding{} is leeg.',
  },
};
