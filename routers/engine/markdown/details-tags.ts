/** The tags of expandables: `<details>` and `<summary>`, which may have attributes that mean nothing here. */

const DETAILS_TAG = /^<details(?:\s[^<>\n]*)?>$/;
const SUMMARY_TAG = /^<summary(?:\s[^<>\n]*)?>$/;

export const SUMMARY = '<summary>';

export const detailsTag = (isOpen: boolean): string => (isOpen ? '<details open>' : '<details>');

/** Whether a tag of details has the attribute `open`. */
export const isOpenDetails = (tag: string): boolean =>
  /\sopen(?=[\s=/>])/i.test(tag.replace(/"[^"]*"|'[^']*'/g, '""'));

/** The tag as an author spelled it, if it still says the same. */
export const writeDetailsTag = (spelling: string | undefined, isOpen: boolean): string =>
  spelling !== undefined && DETAILS_TAG.test(spelling) && isOpenDetails(spelling) === isOpen
    ? spelling
    : detailsTag(isOpen);

export const writeSummaryTag = (spelling: string | undefined): string =>
  spelling !== undefined && SUMMARY_TAG.test(spelling) ? spelling : SUMMARY;
