interface TryTexts {
  title: string;
  /** The host comes after it. */
  sentTo: string;
  /** What the browser sends, and what not. */
  isDirect: string;
  server: string;
  token: string;
  userName: string;
  password: string;
  /** Browsers do not let pages send it: cookies, some headers, certificates. */
  notSent: string;
  /** A value has characters that headers cannot have. */
  notInHeader: string;
  send: string;
  sending: string;
  answer: string;
  /** The answer was no text that can be shown. */
  noText: string;
  /** The server was not reached, or does not allow it. */
  failed: string;
  /** The page has come by https, and the server has not. */
  insecure: string;
  missing: string;
}

/** What pages for readers say, in one language. */
export interface Texts {
  skip: string;
  search: string;
  searchPlaceholder: string;
  /** What keys do in a search, below its results. */
  searchKeys: string;
  noResults: string;
  searchFailed: string;
  /** Names what has the links of the header on narrow screens. */
  moreLinks: string;
  contents: string;
  sections: string;
  breadcrumbs: string;
  variants: string;
  onThisPage: string;
  previous: string;
  next: string;
  close: string;
  theme: string;
  copied: string;
  copyCode: string;
  linkHere: string;
  showAll: string;
  openElsewhere: string;
  download: string;
  viewMarkdown: string;
  /** Before a date. */
  updated: string;
  updates: string;
  privacy: string;
  madeWith: string;
  hints: Record<'info' | 'warning' | 'danger' | 'success', string>;
  notFound: string;
  notFoundText: string;
  toStart: string;
  needsSignIn: string;
  needsSignInText: string;
  failed: string;
  failedText: string;
  busy: string;
  requestId: string;
  empty: string;
  emptyText: string;
  preview: string;
  /** Before the number of pages that a change request changes. */
  changedPages: string;
  /** How a block or a page of a change request differs. */
  marks: Record<'added' | 'changed' | 'removed', string>;
  /** The form to send a request. */
  tryIt: TryTexts;
  // OpenAPI operations
  parameters: Record<'path' | 'query' | 'header' | 'cookie', string>;
  body: string;
  responses: string;
  request: string;
  response: string;
  required: string;
  deprecated: string;
  authorization: string;
  /** A way to send a request: without authorization. */
  noAuthorization: string;
  defaultValue: string;
  allowedValues: string;
  oneOf: string;
  specMissing: string;
}
