/** A section of documentation as people write it: a heading, a paragraph with links and marks, a list, code and a hint. */
export const docsSection = (page: number, section: number) => `## Section ${section} of ${page}

Some text with **strong words**, a [link to the page before](page-${Math.max(1, page - 1)}.md) and \`code-${page}-${section}\`.
It goes on for a second line, as paragraphs do, number ${page * 31 + section}.

* first thing ${section}
* second thing
  * nested thing

\`\`\`js
const answer = compute(${page}, ${section});
\`\`\`

{% hint style="info" %}
Take note of number ${section}.
{% endhint %}

`;
