/** The texts of a PDF besides its content, in the language of the space. */
interface Texts {
  contents: string;
  changeRequest: string;
}

const ENGLISH: Texts = {
  contents: 'Contents',
  changeRequest: 'Change request',
};

const TEXTS: Readonly<Record<string, Texts>> = {
  de: {
    contents: 'Inhalt',
    changeRequest: 'Änderungsantrag',
  },
  fr: {
    contents: 'Sommaire',
    changeRequest: 'Demande de modification',
  },
  es: {
    contents: 'Índice',
    changeRequest: 'Solicitud de cambio',
  },
  it: {
    contents: 'Indice',
    changeRequest: 'Richiesta di modifica',
  },
  pt: {
    contents: 'Índice',
    changeRequest: 'Pedido de alteração',
  },
  nl: {
    contents: 'Inhoud',
    changeRequest: 'Wijzigingsverzoek',
  },
  pl: {
    contents: 'Spis treści',
    changeRequest: 'Propozycja zmian',
  },
  ru: {
    contents: 'Содержание',
    changeRequest: 'Запрос на изменение',
  },
  ja: {
    contents: '目次',
    changeRequest: '変更リクエスト',
  },
  zh: {
    contents: '目录',
    changeRequest: '变更请求',
  },
  yue: {
    contents: '目錄',
    changeRequest: '變更請求',
  },
  ko: {
    contents: '목차',
    changeRequest: '변경 요청',
  },
  ar: {
    contents: 'المحتويات',
    changeRequest: 'طلب تغيير',
  },
  hi: {
    contents: 'विषय-सूची',
    changeRequest: 'परिवर्तन अनुरोध',
  },
};

/** The texts in a language, or in English if there is no translation. */
export const textsIn = (language: string | null): Texts => TEXTS[language?.split('-')[0] ?? ''] ?? ENGLISH;
