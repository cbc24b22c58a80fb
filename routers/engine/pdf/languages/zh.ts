import type { PdfTexts } from './texts.ts';

export const zh: PdfTexts = {
  contents: '目录',
  changeRequest: '变更请求',
  untitled: '无标题',
  picture: '图片',
  moreRows: '其余行',
  tooDeep: '以下内容嵌套过深，无法按其结构显示。',
  plainPage: '此页面无法按其版式排版，以下是其文本。',
  missingPage: '此页面无法排版，已略去。',
  integration: '集成 {} 的内容块不在此处显示。',
  pictureNotLoaded: '无法加载图片。',
  tooManyPictures: '此 PDF 包含的来自其他服务器的图片过多。',
  pictureProblems: {
    missing: '图片{}缺失。',
    unreadable: '图片{}无法读取。',
    late: '图片{}未能及时读取。',
    tooLarge: '图片{}过大。',
    empty: '图片{}为空。',
  },
};
