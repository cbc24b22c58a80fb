import type { ConstraintName } from '../../../routers/engine/specs/constraints.ts';

interface TryTexts {
  title: string;
  /** Precedes the method and URL. */
  sentTo: string;
  /** Explains that the browser sends the request directly, and what it contains. */
  directNotice: string;
  server: string;
  token: string;
  userName: string;
  password: string;
  /** After the name of a credential or parameter that scripts cannot send: cookies, some headers, certificates. */
  notSendable: string;
  /** A value contains characters that are not allowed in headers. */
  invalidHeader: string;
  send: string;
  sending: string;
  response: string;
  /** The response has no text to show. */
  noTextBody: string;
  /** The server could not be reached, or does not allow the request. */
  failed: string;
  /** The page was loaded over https, and the server uses http. */
  insecure: string;
  missing: string;
}

/** The interface texts of site pages, in one language. */
export interface Texts {
  skip: string;
  search: string;
  searchPlaceholder: string;
  /** Keyboard help below the search results. */
  searchKeys: string;
  noResults: string;
  searchFailed: string;
  /** Labels the menu that holds the header links on narrow screens. */
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
  /** Labels a table without text. */
  table: string;
  opensNewTab: string;
  download: string;
  viewMarkdown: string;
  /** Precedes a date. */
  updated: string;
  updates: string;
  privacy: string;
  madeWith: string;
  hints: Record<'info' | 'warning' | 'danger' | 'success', string>;
  notFound: string;
  notFoundText: string;
  /** Follows on pages with a search. */
  searchInstead: string;
  toStart: string;
  needsSignIn: string;
  needsSignInText: string;
  failed: string;
  failedText: string;
  busy: string;
  busyText: string;
  requestId: string;
  empty: string;
  emptyText: string;
  preview: string;
  /** Precedes the number of pages that a change request changes. */
  changedPages: string;
  reusableContent: string;
  /** How a block or page in a change request differs. */
  changeKinds: Record<'added' | 'changed' | 'removed', string>;
  /** The form that sends an API request. */
  tryIt: TryTexts;
  // OpenAPI operations
  parameters: Record<'path' | 'query' | 'header' | 'cookie', string>;
  body: string;
  responses: string;
  /** The headers of a response. */
  headers: string;
  /** Requests that the service sends because of an operation. */
  callbacks: string;
  request: string;
  response: string;
  required: string;
  deprecated: string;
  authorization: string;
  /** The option to send a request without authorization. */
  noAuthorization: string;
  defaultValue: string;
  allowedValues: string;
  /** Precede the values of constraints, except `uniqueItems`, which has none. */
  constraints: Record<ConstraintName, string>;
  /** Precedes what applies to each item of a list. */
  eachItem: string;
  oneOf: string;
  specMissing: string;
}
