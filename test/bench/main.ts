import { benchImport } from './import.ts';
import { benchLists } from './lists.ts';
import { benchReads, benchStart } from './reads.ts';

const SECTIONS: Record<string, () => Promise<void>> = {
  start: benchStart,
  reads: benchReads,
  lists: benchLists,
  import: benchImport,
};

const chosen = process.argv.slice(2);
const unknown = chosen.find((name) => !SECTIONS[name]);
if (unknown || chosen.includes('--help')) {
  console.log(`usage: npm run bench [-- ${Object.keys(SECTIONS).join(' | ')}]...\nWithout a name, all run.`);
  process.exit(unknown ? 2 : 0);
}
for (const name of chosen.length > 0 ? chosen : Object.keys(SECTIONS)) {
  console.log(`\n## ${name}`);
  await SECTIONS[name]?.();
}
