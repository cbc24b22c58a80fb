import type { Guard } from './guards.ts';

const PDF = ['test/pdf/pdf.test.ts'];
const CHAPTER = ['test/engine/pdf/chapter.test.ts'];
const TYPESETTER = ['test/pdf/typesetter.test.ts'];

export const PDF_GUARDS: Guard[] = [
  {
    name: 'PDF: an address has to be signed, and ends',
    file: 'routers/pdf/address.ts',
    find: 'expires > now && signer.verify(PURPOSE,',
    replace: 'expires > 0 || signer.verify(PURPOSE,',
    tests: PDF,
  },
  {
    name: 'PDF: a page has to be there for whoever asks',
    file: 'routers/pdf/pdf.handlers.ts',
    find: 'if (page !== undefined && !(await pagesOf(content, { computed: true }).subtree(page)))',
    replace: 'if (false)',
    tests: PDF,
  },
  {
    name: 'PDF: visitors have what the site shows them when it is made',
    file: 'routers/pdf/book.query.ts',
    find: 'const { conditions } = await loadVisitedContent(db, visitor, id);',
    replace: 'const { conditions } = visitor;',
    tests: PDF,
  },
  {
    name: 'PDF: hidden pages are left out',
    file: 'routers/pdf/book.query.ts',
    find: 'if (node.page.hidden && !(isAlone && depth === 0)) continue;',
    replace: '',
    tests: PDF,
  },
  {
    name: 'PDF: only some wait',
    file: 'routers/pdf/request.operation.ts',
    find: 'if (Number(waiting) >= MAX_WAITING[whom])',
    replace: 'if (false)',
    tests: PDF,
  },
  {
    name: 'PDF: the same source is set once',
    file: 'routers/pdf/make.operation.ts',
    find: ".where('source', '=', source)",
    replace: ".where('source', '=', '')",
    tests: PDF,
  },
  {
    name: 'PDF: files of PDFs are not collected as garbage',
    file: 'routers/content/garbage.operation.ts',
    find: '    union select file from pdf where file is not null`',
    replace: '`',
    tests: PDF,
  },
  {
    name: 'PDF: links open pages and mail alone',
    file: 'routers/engine/document/safe-href.ts',
    find: 'url && LINK_SCHEMES.has(url.protocol) ? address',
    replace: 'url ? address',
    tests: CHAPTER,
  },
  {
    name: 'PDF: lone surrogates are no text',
    file: 'routers/engine/pdf/text.ts',
    find: 'text.toWellFormed()',
    replace: 'text',
    tests: CHAPTER,
  },
  {
    name: 'PDF: links lead only to places that are there',
    file: 'routers/engine/pdf/chapter.ts',
    find: 'if (places.has(member)) result.to = member;',
    replace: 'if (member) result.to = member;',
    tests: CHAPTER,
  },
  {
    name: 'PDF: a step that takes too long is killed',
    file: 'server/pdf/steps.ts',
    find: "const timer = setTimeout(() => end('takes too long'), limits.time);",
    replace: 'const timer = undefined;',
    tests: TYPESETTER,
  },
  {
    name: 'PDF: one of an organization is made at a time',
    file: 'routers/pdf/claim.operation.ts',
    find: "other.state = 'progress' and other.leased_until > now())",
    replace: 'false)',
    tests: PDF,
  },
  {
    name: 'PDF: one that has killed its process is not begun for ever',
    file: 'routers/pdf/make.operation.ts',
    find: "if (pdf.attempts > MAX_ATTEMPTS) throw new DomainError('unavailable', FAILED);",
    replace: '',
    tests: PDF,
  },
  {
    name: 'PDF: a process writes nothing once another one has claimed it',
    file: 'routers/pdf/claim.operation.ts',
    find: "    .where('attempts', '=', attempts)\n",
    replace: '',
    tests: PDF,
  },
  {
    name: 'PDF: a step whose process was killed runs again',
    file: 'server/pdf/steps.ts',
    find: 'if (!(error instanceof StepCrashed)) throw error;',
    replace: 'throw error;',
    tests: TYPESETTER,
  },
  {
    name: 'PDF: links between parts lead there',
    file: 'server/pdf/merge.ts',
    find: "found === undefined ? ''",
    replace: "found !== '' ? ''",
    tests: TYPESETTER,
  },
  {
    name: 'PDF: what dead processes were making is removed',
    file: 'server/storage/folder-drafts.ts',
    find: 'await rm(path, { recursive: true, force: true });',
    replace: 'await rm(path, { force: true }).catch(() => undefined);',
    tests: ['test/faults/full-disk.test.ts'],
  },
];
