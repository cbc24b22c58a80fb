import type { PdfTexts } from './texts.ts';

export const yue: PdfTexts = {
  contents: '目錄',
  changeRequest: '變更請求',
  untitled: '無標題',
  picture: '圖片',
  moreRows: '其餘的列',
  tooDeep: '以下內容嵌套過深，無法按其結構顯示。',
  plainPage: '此頁面無法按其版面排版，以下是其文字。',
  missingPage: '此頁面無法排版，已略去。',
  integration: '整合 {} 的區塊不在此處顯示。',
  pictureNotLoaded: '無法載入圖片。',
  tooManyPictures: '此 PDF 包含太多來自其他伺服器的圖片。',
  pictureProblems: {
    missing: '圖片{}缺失。',
    unreadable: '圖片{}無法讀取。',
    late: '圖片{}未能及時讀取。',
    tooLarge: '圖片{}過大。',
    empty: '圖片{}是空的。',
  },
};
