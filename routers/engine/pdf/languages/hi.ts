import type { PdfTexts } from './texts.ts';

export const hi: PdfTexts = {
  contents: 'विषय-सूची',
  changeRequest: 'परिवर्तन अनुरोध',
  untitled: 'बिना शीर्षक',
  picture: 'चित्र',
  moreRows: 'अन्य पंक्तियाँ',
  tooDeep: 'आगे की सामग्री इतनी गहराई में है कि उसे उसकी संरचना के साथ नहीं दिखाया जा सकता।',
  plainPage: 'इस पृष्ठ को इसके लेआउट में नहीं सजाया जा सका; यह इसका पाठ है।',
  missingPage: 'इस पृष्ठ को सजाया नहीं जा सका, इसलिए इसे छोड़ दिया गया।',
  integration: 'एकीकरण {} का एक खंड यहाँ नहीं दिखाया गया है।',
  pictureNotLoaded: 'चित्र लोड नहीं हो सका।',
  tooManyPictures: 'PDF में अन्य सर्वरों के बहुत अधिक चित्र हैं।',
  pictureProblems: {
    missing: 'चित्र{} उपलब्ध नहीं है।',
    unreadable: 'चित्र{} पढ़ा नहीं जा सकता।',
    late: 'चित्र{} समय पर पढ़ा नहीं जा सका।',
    tooLarge: 'चित्र{} बहुत बड़ा है।',
    empty: 'चित्र{} खाली है।',
  },
};
