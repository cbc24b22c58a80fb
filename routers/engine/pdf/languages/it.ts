import type { PdfTexts } from './texts.ts';

export const it: PdfTexts = {
  contents: 'Indice',
  changeRequest: 'Richiesta di modifica',
  untitled: 'Senza titolo',
  picture: 'Immagine',
  moreRows: 'Altre righe',
  tooDeep: 'Il contenuto seguente è annidato troppo in profondità per essere mostrato con la sua struttura.',
  plainPage: 'Non è stato possibile impaginare questa pagina; questo è il suo testo.',
  missingPage: 'Non è stato possibile impaginare questa pagina, che è stata omessa.',
  integration: 'Un blocco dell’integrazione {} non è mostrato qui.',
  pictureNotLoaded: 'Non è stato possibile caricare l’immagine.',
  tooManyPictures: 'Il PDF contiene troppe immagini da altri server.',
  pictureProblems: {
    missing: 'Un’immagine{} manca.',
    unreadable: 'Un’immagine{} non è leggibile.',
    late: 'Un’immagine{} non è stata letta in tempo.',
    tooLarge: 'Un’immagine{} è troppo grande.',
    empty: 'Un’immagine{} è vuota.',
  },
};
