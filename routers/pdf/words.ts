/** The words that a PDF has besides its content, in the language of the space. */
interface Words {
  contents: string;
  changeRequest: string;
  /** Stands in what is too large to be marked up for assistive technology. */
  untagged: string;
}

const ENGLISH: Words = {
  contents: 'Contents',
  changeRequest: 'Change request',
  untagged: 'Because of its size, this file is not tagged for assistive technology. PDFs of parts of it are.',
};

const WORDS: Readonly<Record<string, Words>> = {
  de: {
    contents: 'Inhalt',
    changeRequest: 'Änderungsantrag',
    untagged:
      'Wegen ihrer Größe ist diese Datei nicht für Hilfstechnologien ausgezeichnet. PDFs einzelner Teile sind es.',
  },
  fr: {
    contents: 'Sommaire',
    changeRequest: 'Demande de modification',
    untagged:
      'En raison de sa taille, ce fichier n’est pas balisé pour les technologies d’assistance. Les PDF de ses parties le sont.',
  },
  es: {
    contents: 'Índice',
    changeRequest: 'Solicitud de cambio',
    untagged:
      'Por su tamaño, este archivo no está etiquetado para tecnologías de apoyo. Los PDF de sus partes sí lo están.',
  },
  it: {
    contents: 'Indice',
    changeRequest: 'Richiesta di modifica',
    untagged:
      'Per le sue dimensioni, questo file non è contrassegnato per le tecnologie assistive. I PDF delle sue parti lo sono.',
  },
  pt: {
    contents: 'Índice',
    changeRequest: 'Pedido de alteração',
    untagged:
      'Devido ao tamanho, este arquivo não tem marcas para tecnologias assistivas. Os PDFs de suas partes têm.',
  },
  nl: {
    contents: 'Inhoud',
    changeRequest: 'Wijzigingsverzoek',
    untagged:
      'Vanwege de omvang is dit bestand niet gelabeld voor hulptechnologie. Pdf’s van delen ervan zijn dat wel.',
  },
  pl: {
    contents: 'Spis treści',
    changeRequest: 'Propozycja zmian',
    untagged:
      'Ze względu na rozmiar ten plik nie ma znaczników dla technologii wspomagających. Mają je pliki PDF jego części.',
  },
  ru: {
    contents: 'Содержание',
    changeRequest: 'Запрос на изменение',
    untagged: 'Из-за размера этот файл не размечен для вспомогательных технологий. PDF его частей размечены.',
  },
  ja: {
    contents: '目次',
    changeRequest: '変更リクエスト',
    untagged:
      'サイズが大きいため、このファイルには支援技術用のタグがありません。部分ごとの PDF にはタグがあります。',
  },
  zh: {
    contents: '目录',
    changeRequest: '变更请求',
    untagged: '由于篇幅过大，此文件没有为辅助技术添加标签；其各部分的 PDF 带有标签。',
  },
  yue: {
    contents: '目錄',
    changeRequest: '變更請求',
    untagged: '由於篇幅過大，此檔案沒有為輔助科技加上標籤；其各部分的 PDF 則有。',
  },
  ko: {
    contents: '목차',
    changeRequest: '변경 요청',
    untagged: '크기 때문에 이 파일에는 보조 기술용 태그가 없습니다. 일부분의 PDF에는 태그가 있습니다.',
  },
  ar: {
    contents: 'المحتويات',
    changeRequest: 'طلب تغيير',
    untagged: 'نظرًا لحجمه، لا يحتوي هذا الملف على وسوم للتقنيات المساعدة، بخلاف ملفات PDF لأجزائه.',
  },
  hi: {
    contents: 'विषय-सूची',
    changeRequest: 'परिवर्तन अनुरोध',
    untagged: 'आकार के कारण इस फ़ाइल में सहायक तकनीक के लिए टैग नहीं हैं; इसके भागों की PDF में हैं।',
  },
};

/** The words of a language; those of English where it has none. */
export const wordsIn = (language: string | null): Words => WORDS[language?.split('-')[0] ?? ''] ?? ENGLISH;
