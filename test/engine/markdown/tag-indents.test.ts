import { expect, test } from 'vitest';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { outlineOf } from './outline.ts';

const HINT = '{% hint style="info" %}';
const LIST = 'list-unordered[list-item]';

test.for([
  [`${HINT}\nA\n\n- b\n- c\n  {% endhint %}\n\nD\n`, 'hint[list-unordered[list-item list-item]]'],
  [`${HINT}\n1. b\n\n   {% endhint %}\n`, 'hint[list-ordered[list-item]]'],
  [`${HINT}\nText\n\n    {% endhint %}\n`, 'hint'],
  [`- a\n\n  ${HINT}\n  - b\n    {% endhint %}\n- c\n`, `list-unordered[list-item[hint[${LIST}]] list-item]`],
  [
    '{% stepper %}\n{% step %}\n- a\n  {% endstep %}\n\n{% step %}\n- b\n  {% endstep %}\n  {% endstepper %}\n',
    `stepper[stepper-step[${LIST}] stepper-step[${LIST}]]`,
  ],
  [
    '{% tabs %}\n{% tab title="A" %}\n- a\n  {% endtab %}\n  {% tab title="B" %}\n- b\n  {% endtab %}\n  {% endtabs %}\n',
    `tabs[tabs-item[${LIST}] tabs-item[${LIST}]]`,
  ],
  ['<details>\n\n<summary>A</summary>\n\n- a\n  </details>\n', `expandable[${LIST}]`],
] as const)(
  'the end of a tag that is indented like the list above it ends what began further out: %j',
  ([markdown, outline]) => {
    const document = parseMarkdown(markdown);
    expect(outlineOf(document.nodes)).toBe(outline);
    expect(serializeMarkdown(document)).toBe(markdown);
  },
);

test.for([
  [`${HINT}\n- ${HINT}\n  x\n  {% endhint %}\n{% endhint %}\n`, 'hint[list-unordered[list-item[hint]]]'],
  [
    `${HINT}\n- \`\`\`\n  {% endhint %}\n  \`\`\`\n{% endhint %}\n`,
    'hint[list-unordered[list-item[code[code-line]]]]',
  ],
  ['- a\n\n  {% endhint %}\n', 'list-unordered[list-item[markdown]]'],
] as const)(
  'the end of a tag that is indented like the list above it stays where nothing further out is open, and in code: %j',
  ([markdown, outline]) => {
    const document = parseMarkdown(markdown);
    expect(outlineOf(document.nodes)).toBe(outline);
    expect(serializeMarkdown(document)).toBe(markdown);
  },
);
