import openRunFolder from '../helpers/folders.ts';
import { benchBodies } from './bodies.ts';
import { benchBranches } from './branches.ts';
import { benchClusters } from './clusters.ts';
import { benchComments } from './comments.ts';
import { benchContent } from './content.ts';
import { benchEvents } from './events.ts';
import { benchImport } from './import.ts';
import { benchLarge } from './large.ts';
import { benchLists } from './lists.ts';
import { benchMarkdown } from './markdown.ts';
import { reportRoundTrip } from './markdown-round-trip.ts';
import { benchMemory } from './memory.ts';
import { benchPages } from './pages.ts';
import { benchPdf } from './pdf.ts';
import { stopServers } from './processes.ts';
import { reportReading } from './reading.ts';
import { benchReads, benchStart } from './reads.ts';
import { reportRepositories } from './repositories.ts';
import { benchSearch } from './search.ts';
import { reportSearchQuality } from './search-quality.ts';
import { benchSignIn } from './sign-in.ts';
import { benchSites } from './sites.ts';
import { benchSpecs } from './specs.ts';
import { reportTranslations } from './translations.ts';

const SECTIONS: Record<string, () => Promise<void>> = {
  start: benchStart,
  memory: benchMemory,
  reads: benchReads,
  'sign-in': benchSignIn,
  lists: benchLists,
  sites: benchSites,
  pages: benchPages,
  comments: benchComments,
  clusters: benchClusters,
  events: benchEvents,
  content: benchContent,
  branches: () => benchBranches(),
  markdown: benchMarkdown,
  import: benchImport,
  bodies: benchBodies,
  large: benchLarge,
  specs: benchSpecs,
  search: () => benchSearch(),
  pdf: () => benchPdf(),
};

/** Reports that take folders as arguments. */
const REPORTS: Record<string, (folders: string[]) => Promise<void>> = {
  pdf: benchPdf,
  'round-trip': reportRoundTrip,
  reading: reportReading,
  repositories: reportRepositories,
  search: benchSearch,
  'search-quality': reportSearchQuality,
  translations: reportTranslations,
};

const chosen = process.argv.slice(2);
const [first = '', ...folders] = chosen;
const report = folders.length > 0 ? REPORTS[first] : undefined;
const isHelp = chosen.includes('--help');
const unknown = !report && !isHelp && chosen.find((name) => !SECTIONS[name]);
if (unknown || isHelp) {
  console.log(
    `usage: npm run bench [-- ${Object.keys(SECTIONS).join(' | ')}]...\n` +
      '       npm run bench -- pdf <folder>...\n' +
      '       npm run bench -- round-trip <folder>...\n' +
      '       npm run bench -- reading <folder>...\n' +
      '       npm run bench -- repositories <folder>...\n' +
      '       npm run bench -- translations <folder>...\n' +
      '       npm run bench -- search <folder>...\n' +
      '       npm run bench -- search-quality <owner>/<name>=<folder>...\nWithout a name, all sections run.',
  );
  process.exit(unknown ? 2 : 0);
}
const endRun = await openRunFolder();
let failure: unknown;
try {
  if (report) await report(folders);
  else
    for (const name of chosen.length > 0 ? chosen : Object.keys(SECTIONS)) {
      console.log(`\n## ${name}`);
      await SECTIONS[name]?.();
    }
} catch (error) {
  failure = error;
  console.error(`The bench failed. ${error instanceof Error ? error.message : error}`);
}
await stopServers();
await endRun();
// A failed section may have left handles open in this process.
if (failure !== undefined) process.exit(1);
