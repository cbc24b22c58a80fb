import { CONFIG_PATH } from './config.ts';
import { createLinkResolver, type LinkTargets } from './links.ts';
import { joinPath } from './paths.ts';
import { type ImportNote, quote } from './report.ts';
import type { Scan } from './scan.ts';

/** A redirect of `.gitbook.yaml` from an old path in the space to one of its pages. */
export interface PlannedRedirect {
  /** Decoded segments of the path. */
  from: readonly string[];
  /** Id of the page. */
  page: string;
}

/** Plans the redirects to imported pages, and reports all others. */
export function planRedirects(scan: Scan, targets: LinkTargets, report: ImportNote[]): PlannedRedirect[] {
  const { root, redirects } = scan.config;
  return redirects.flatMap(([from, to]): PlannedRedirect[] => {
    const warn = (message: string) =>
      void report.push({
        file: CONFIG_PATH,
        severity: 'warning',
        message: `The redirect of ${quote(from)} was not imported: ${message}`,
      });
    const path = segmentsOf(from);
    if (!path) {
      warn('it is not a path.');
      return [];
    }
    let problem: string | undefined;
    const resolve = createLinkResolver(targets, joinPath(root, CONFIG_PATH), (href, _, reason) => {
      problem = `${quote(href)} ${reason}.`;
    });
    const target = resolve(to);
    if (target && 'page' in target && target.page !== undefined) return [{ from: path, page: target.page }];
    warn(problem ?? `${quote(to)} is not a page.`);
    return [];
  });
}

/** Decodes the segments of a path; undefined if it is not a valid URL path. */
function segmentsOf(path: string): string[] | undefined {
  const segments = path.split('/').filter((segment) => segment !== '');
  try {
    const decoded = segments.map(decodeURIComponent);
    const isPath = decoded.length > 0 && !decoded.some((segment) => segment === '.' || segment === '..');
    return isPath && decoded.every((segment) => !/[\0?#]/.test(segment)) ? decoded : undefined;
  } catch {
    // Malformed percent-encoding.
    return undefined;
  }
}
