import type { PdfTexts } from './texts.ts';

export const ar: PdfTexts = {
  contents: 'المحتويات',
  changeRequest: 'طلب تغيير',
  untitled: 'بلا عنوان',
  picture: 'صورة',
  moreRows: 'صفوف أخرى',
  tooDeep: 'ما يلي متداخل بعمق شديد يتعذر معه عرضه ببنيته.',
  plainPage: 'تعذر تنضيد هذه الصفحة بتخطيطها؛ وهذا نصها.',
  missingPage: 'تعذر تنضيد هذه الصفحة فحُذفت.',
  integration: 'لا تُعرض هنا كتلة من التكامل {}.',
  pictureNotLoaded: 'تعذر تحميل الصورة.',
  tooManyPictures: 'يحتوي ملف PDF على عدد كبير جدًا من الصور من خوادم أخرى.',
  pictureProblems: {
    missing: 'الصورة{} مفقودة.',
    unreadable: 'تتعذر قراءة الصورة{}.',
    late: 'تعذرت قراءة الصورة{} في الوقت المحدد.',
    tooLarge: 'الصورة{} كبيرة جدًا.',
    empty: 'الصورة{} فارغة.',
  },
};
