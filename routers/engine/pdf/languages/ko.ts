import type { PdfTexts } from './texts.ts';

export const ko: PdfTexts = {
  contents: '목차',
  changeRequest: '변경 요청',
  untitled: '제목 없음',
  picture: '그림',
  moreRows: '나머지 행',
  tooDeep: '다음 내용은 너무 깊게 중첩되어 구조대로 표시할 수 없습니다.',
  plainPage: '이 페이지는 원래 레이아웃으로 조판할 수 없어 텍스트만 표시합니다.',
  missingPage: '이 페이지는 조판할 수 없어 생략했습니다.',
  integration: '통합 {}의 블록은 여기에 표시되지 않습니다.',
  pictureNotLoaded: '그림을 불러올 수 없습니다.',
  tooManyPictures: 'PDF에 다른 서버의 그림이 너무 많습니다.',
  pictureProblems: {
    missing: '그림{}이 없습니다.',
    unreadable: '그림{}을 읽을 수 없습니다.',
    late: '그림{}을 제시간에 읽지 못했습니다.',
    tooLarge: '그림{}이 너무 큽니다.',
    empty: '그림{}이 비어 있습니다.',
  },
};
