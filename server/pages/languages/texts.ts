/** What pages for readers say, in one language. */
export interface Texts {
  skip: string;
  search: string;
  searchPlaceholder: string;
  /** What keys do in a search, below its results. */
  searchKeys: string;
  noResults: string;
  searchFailed: string;
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
  // OpenAPI operations
  parameters: Record<'path' | 'query' | 'header' | 'cookie', string>;
  body: string;
  responses: string;
  request: string;
  response: string;
  required: string;
  deprecated: string;
  authorization: string;
  defaultValue: string;
  allowedValues: string;
  oneOf: string;
  specMissing: string;
}
