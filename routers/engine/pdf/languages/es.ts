import type { PdfTexts } from './texts.ts';

export const es: PdfTexts = {
  contents: 'Índice',
  changeRequest: 'Solicitud de cambio',
  untitled: 'Sin título',
  picture: 'Imagen',
  moreRows: 'Más filas',
  tooDeep: 'Lo que sigue está anidado a demasiada profundidad para mostrarse con su estructura.',
  plainPage: 'Esta página no se pudo componer con su diseño; este es su texto.',
  missingPage: 'Esta página no se pudo componer y se ha omitido.',
  integration: 'Aquí no se muestra un bloque de la integración {}.',
  pictureNotLoaded: 'No se pudo cargar la imagen.',
  tooManyPictures: 'El PDF tiene demasiadas imágenes de otros servidores.',
  pictureProblems: {
    missing: 'Falta una imagen{}.',
    unreadable: 'No se puede leer una imagen{}.',
    late: 'No se pudo leer a tiempo una imagen{}.',
    tooLarge: 'Una imagen{} es demasiado grande.',
    empty: 'Una imagen{} está vacía.',
  },
};
