import { expect, test } from 'vitest';
import { roundTrip } from './round-trip.ts';

const EVERYTHING = `A paragraph with **strong**, _emphasized_ and \`code\`, and a [link](other.md "Title").

## Heading

* one
* two
  * nested

1. first
2. second

- [x] done
- [ ] to do

> A quote
> of two lines.

{% hint style="warning" %}
Take care.
{% endhint %}

{% tabs %}
{% tab title="One" %}
\`\`\`js
let a = 1;
\`\`\`
{% endtab %}
{% endtabs %}

| A | B |
| - | - |
| 1 | 2 |

***

![Picture](a.png)
`;

test('common Markdown is written byte for byte as it was read', () => {
  expect(roundTrip(EVERYTHING).filter(({ reason }) => reason !== undefined)).toEqual([]);
  expect(roundTrip(EVERYTHING).map(({ type }) => type)).not.toContain('markdown');
});

test('a block that is written differently is reported with its type, its line and a reason', () => {
  const changed = roundTrip(
    EVERYTHING.replace('| - | - |', '|:-:|:-:   |').replace('## Heading', '##   Heading'),
  ).filter(({ reason }) => reason !== undefined);
  for (const { type, line, reason } of changed) {
    expect(['heading-1', 'table']).toContain(type);
    expect(line).toBe(type === 'table' ? 35 : 3);
    expect(reason).not.toBe('something else');
  }
});
