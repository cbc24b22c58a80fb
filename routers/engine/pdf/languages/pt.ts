import type { PdfTexts } from './texts.ts';

export const pt: PdfTexts = {
  contents: 'Índice',
  changeRequest: 'Pedido de alteração',
  untitled: 'Sem título',
  picture: 'Imagem',
  moreRows: 'Mais linhas',
  tooDeep: 'O conteúdo a seguir tem níveis demais para ser mostrado com a sua estrutura.',
  plainPage: 'Não foi possível compor esta página com o seu layout; este é o seu texto.',
  missingPage: 'Não foi possível compor esta página, que foi omitida.',
  integration: 'Um bloco da integração {} não é mostrado aqui.',
  pictureNotLoaded: 'Não foi possível carregar a imagem.',
  tooManyPictures: 'O PDF tem imagens demais de outros servidores.',
  pictureProblems: {
    missing: 'Falta uma imagem{}.',
    unreadable: 'Não é possível ler uma imagem{}.',
    late: 'Não foi possível ler a tempo uma imagem{}.',
    tooLarge: 'Uma imagem{} é grande demais.',
    empty: 'Uma imagem{} está vazia.',
  },
};
