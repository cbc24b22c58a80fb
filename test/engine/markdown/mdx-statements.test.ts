import { expect, test } from 'vitest';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { parseMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { editExported } from './edit-exported.ts';
import { expectExact } from './exact.ts';

const USED = '\n<Tabs>\n<Tab label="A">\nText.\n</Tab>\n</Tabs>\n';

const typesOf = (markdown: string): string[] => {
  expectExact(markdown);
  return published(parseMarkdown(markdown)).nodes.map(({ type }) => type);
};

test.for([
  "import Tabs from '@theme/Tabs';\nimport Tab from '@theme/Tab'\n",
  'import { A as Tabs, Other } from "components"; \n',
  "import {\n  Other,\n  Tabs,\n} from '../components';\n",
  "import * as Tabs from 'tabs'\n",
  'export const Tabs = ({ children }) => <div>{children}</div>;\n',
  'export default function Tabs() { return "a"; }\n',
])('statements of MDX that declare a component are not shown: %s', (statements) => {
  expect(typesOf(statements + USED)).toEqual(['markdown', 'tabs']);
  expect(plainText(published(parseMarkdown(statements + USED)))).not.toMatch(/import|export/);
});

test.for([
  `import Other from 'other'\n${USED}`,
  "import Tabs from 'tabs'\n\nText.\n",
  `import Tabs from 'tabs' and use it\n${USED}`,
  `import Tabs from tabs\n${USED}`,
  `import 'tabs'\n${USED}`,
  `import Tabs from 'tabs'\nText.\n${USED}`,
  `export Tabs as text\n${USED}`,
  `    import Tabs from 'tabs'\n${USED}`,
])('anything else is: %s', (markdown) => {
  expect(['paragraph', 'code']).toContain(typesOf(markdown)[0]);
});

test('they stay as they are written when the text below is edited', () => {
  const markdown = `import Tabs from '@theme/Tabs';\n\none\n${USED}`;
  expect(editExported(markdown, '"one"', '"two"')).toBe(markdown.replace('one', 'two'));
});
