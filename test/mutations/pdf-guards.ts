import { guard } from './guard.ts';
import { always, at, becomes, keep, replace } from './mutations.ts';

const PDF = ['test/pdf/pdf.test.ts'];
const CONTENTS = ['test/pdf/pdf-contents.test.ts'];
const CHAPTER = ['test/engine/pdf/chapter.test.ts'];
const TEXT = ['test/engine/pdf/text.test.ts'];
const TYPESETTER = ['test/pdf/typesetter.test.ts'];
const IMAGES = ['test/pdf/images.test.ts'];
const FAILURES = ['test/pdf/typesetter-failures.test.ts'];

export const PDF_GUARDS = [
  guard('svg-unsafe', 'PDF: what can blow up is in no SVG that stays one', IMAGES),
  guard('svg-encoding', 'PDF: an SVG that stays one is in UTF-8', IMAGES),
  guard('pdf-signed-address', 'PDF: an address has to be signed, and ends', PDF, at('body', always)),
  guard('pdf-page-exists', 'PDF: a page has to be there for whoever asks', CONTENTS),
  guard(
    'pdf-visitor-conditions',
    'PDF: visitors have what the site shows them when it is made',
    CONTENTS,
    at('value', keep('argument 2')),
  ),
  guard('pdf-hidden-pages', 'PDF: hidden pages are left out', CONTENTS),
  guard('pdf-waiting-limit', 'PDF: only some wait', CONTENTS),
  guard('pdf-download-left', 'PDF: a download that is abandoned is no failure', PDF),
  guard('pdf-same-source', 'PDF: the same source is set once', PDF, at('argument 3', becomes("''"))),
  guard(
    'pdf-files-kept',
    'PDF: files of PDFs are not collected as garbage',
    PDF,
    replace({ 'union select file from pdf where file is not null': '' }),
  ),
  guard('pdf-link-schemes', 'PDF: links open pages and mail alone', TEXT, at('operand 2', always)),
  guard('pdf-lone-surrogates', 'PDF: lone surrogates are no text', TEXT, at('call 4')),
  guard(
    'pdf-link-places',
    'PDF: links lead only to places that are there',
    CHAPTER,
    at('value', becomes('member')),
  ),
  guard(
    'pdf-step-timeout',
    'PDF: a step that takes too long is killed',
    FAILURES,
    at('value', becomes('undefined')),
  ),
  guard(
    'pdf-one-per-organization',
    'PDF: one of an organization is made at a time',
    PDF,
    replace({ "other.state = 'progress' and other.leased_until > now()": 'false' }),
  ),
  guard('pdf-attempts', 'PDF: one that has killed its process is not begun for ever', PDF),
  guard('pdf-claimed-elsewhere', 'PDF: a process writes nothing once another one has claimed it', PDF),
  guard('pdf-step-retry', 'PDF: a step whose process was killed runs again', FAILURES, always),
  guard(
    'pdf-links-between-parts',
    'PDF: links between parts lead there',
    TYPESETTER,
    at('condition', always),
  ),
  guard(
    'pdf-dead-drafts',
    'PDF: what dead processes were making is removed',
    'test/faults/full-disk.test.ts',
    at('then', becomes('await rm($(argument 1), { force: true }).catch(() => undefined);')),
  ),
];
