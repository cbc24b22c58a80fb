import type { PdfTexts } from './texts.ts';

export const ja: PdfTexts = {
  contents: '目次',
  changeRequest: '変更リクエスト',
  untitled: '無題',
  picture: '画像',
  moreRows: '残りの行',
  tooDeep: '以下は入れ子が深すぎるため、構造どおりに表示できません。',
  plainPage: 'このページは元のレイアウトで組版できなかったため、テキストのみを表示します。',
  missingPage: 'このページは組版できなかったため、省略しました。',
  integration: '連携 {} のブロックはここに表示されません。',
  pictureNotLoaded: '画像を読み込めませんでした。',
  tooManyPictures: 'PDF に含まれる他のサーバーの画像が多すぎます。',
  pictureProblems: {
    missing: '画像{}が見つかりません。',
    unreadable: '画像{}を読み取れません。',
    late: '画像{}を時間内に読み取れませんでした。',
    tooLarge: '画像{}が大きすぎます。',
    empty: '画像{}が空です。',
  },
};
