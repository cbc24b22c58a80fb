/** Markdown as people and GitBook's exporter write it, each to come out byte for byte as it went in. */
export const UNCHANGED: Record<string, string> = {
  'tags that share a line':
    '{% hint style="info" %} One\nparagraph. {% endhint %} {% hint style="info" %} B {% endhint %}\n',
  'admonitions of MkDocs':
    '!!! note "A `b`"\n    C\n\n    ??? tip\n        D\n\n???+ bug inline ""\n\n    E\n',
  'tabs of MkDocs': '=== "A"\n    B\n\n=== "C"\n\n    * D\n\n    E\n',
  'headings with ids':
    '# One <a href="#one" id="one"></a>\n\n## Two {#two}\n\nThree\n=====\n\nFour\n----\n\n### Five ###\n\n###### Six\n',
  'marks with either delimiter': 'A **b** __c__ _d_ *e* ~~f~~ `g` **_h_** ***i*** in*fi*x and snake_case.\n',
  'marks as elements':
    '<mark style="color:red;">a **b**</mark> <mark style="color:$primary;background-color:blue;">c</mark> <kbd>K</kbd> x<sup>2</sup> y<sub>1</sub> <u>z</u> <strong>s</strong>\n',
  'links of every kind':
    '[a](b.md) [b](<c d.md> "t") **[c](d)** [**d**](e) <https://x.y> [e][r] [r][] [r] [m](p.md "mention") ![i](j.png) [![k](l)](m)\n\n[r]: https://r.example "Title"\n',
  'escapes that are not needed': 'GitBook writes snake\\_case and \\[x] and [q](a?b=c\\&d=e), and A\\&B.\n',
  entities: 'a&nbsp;b &lt;c&gt; &copy; AT&amp;T\n',
  'hard and soft breaks': 'one\\\ntwo  \nthree<br>four\nfive\n',
  'lists of every kind':
    '* a\n  * b\n\n    c\n* d\n\n1. x\n2. y\n   1. z\n\n- [ ] to do\n- [x] done\n\n1) p\n1) q\n\n+ r\n\n+ s\n',
  'lists indented by four': '- a\n    - b\n        - c\n-   d\n',
  'text right above a list and a fence': 'Text:\n- a\n- b\n```sh\nls\n```\n## H\nText\n',
  'code of every kind':
    '```js title="x"\na\n\n```\n\n~~~\n```\n~~~\n\n    indented\n\n      more\n\n```\n```\n',
  quotes: '> a\n>\n> > b\n> > c\n',
  dividers: '***\n\n---\n\n* * *\n\n- ***\n',
  'tables of every layout':
    '| A | B |\n| - | - |\n| 1 | x \\| y |\n\n| Name | Count |\n|:-----|------:|\n| a | 1 |\n| bb   |2|\n\n|a|b|\n|---|---|\n|`c`|<br>|\n',
  hints:
    '{% hint style="info" %}\n* item\n{% endhint %}\n\n{% hint style="danger" icon="bomb" %}\n### T\n\ntext\n{% endhint %}\n',
  'a hint whose style is in single quotes': "{% hint style='danger' icon='bomb' %}\ntext\n{% endhint %}\n",
  tabs: '{% tabs %}\n{% tab title="A \\"quoted\\"" %}\n```\nx\n```\n{% endtab %}\n\n{% tab title="B" %}\n<figure><img src="a.png" alt=""><figcaption></figcaption></figure>\n{% endtab %}\n{% endtabs %}\n',
  'a list holding a hint': '1. a\n\n   {% hint style="warning" %}\n   b\n   {% endhint %}\n2. c\n',
  'code with a title':
    '{% code title="a.js" overflow="wrap" lineNumbers="true" %}\n```js\nx\n```\n{% endcode %}\n',
  embeds:
    '{% embed url="https://x.y/z" %}\n\n{% embed url="https://x.y/z" %}\nCaption **bold**\n{% endembed %}\n',
  'content references':
    '{% content-ref url="../a/b.md" %}\n[b.md](../a/b.md)\n{% endcontent-ref %}\n\n{% content-ref url="a.md" %}\n[Other](a.md)\n{% endcontent-ref %}\n',
  'stepper and columns':
    '{% stepper %}\n{% step %}\n### One\n\ntext\n{% endstep %}\n{% endstepper %}\n\n{% columns %}\n{% column width="66.66666666666666%" %}\na\n{% endcolumn %}\n\n{% column %}\nb\n{% endcolumn %}\n{% endcolumns %}\n',
  'includes, files, updates and conditions':
    '{% include "../.gitbook/includes/x.md" %}\n\n{% file src="../a.pdf" %}\n\n{% file src="../a.pdf" %}\nA file\n{% endfile %}\n\n{% updates format="full" %}\n{% update date="2024-01-15" %}\n## V2\n{% endupdate %}\n{% endupdates %}\n\n{% if visitor.claims.beta %}\nx\n{% endif %}\n',
  'OpenAPI blocks':
    '{% openapi src="a.yaml" path="/x" method="get" %}\n[a.yaml](a.yaml)\n{% endopenapi %}\n\n{% openapi-operation spec="s" path="/x" method="post" %}\n[OpenAPI s](https://x.y/s.json)\n{% endopenapi-operation %}\n\n{% openapi-operation spec="s@v" path="/x" method="post" %}\n{% endopenapi-operation %}\n\n{% openapi-schemas spec="s" schemas="A,B" grouped="false" %}\n{% endopenapi-schemas %}\n\n{% openapi-webhook spec="s" name="n" method="post" %}\n{% endopenapi-webhook %}\n',
  'integrations and drawings':
    '{% @marketo/form formId="4316" %}\n\n<img src="a.excalidraw.svg" alt="" class="gitbook-drawing">\n\n{% @a/b z="1" a="2" %}\n',
  'tags nobody knows':
    '{% swagger method="get" path="/x" %}\n{% swagger-description %}\nWords\n{% endswagger-description %}\n{% endswagger %}\n\n{% endhint %}\n\n{% hint %}\n',
  figures:
    '<figure><img src="a.png" alt="A" width="375"><figcaption><p>Cap <strong>b</strong></p></figcaption></figure>\n\n<div data-full-width="true"><figure><img src="a.png" alt=""><figcaption></figcaption></figure></div>\n\n<div><figure><img src="a.png" alt=""><figcaption></figcaption></figure> <figure><picture><source srcset="d.png" media="(prefers-color-scheme: dark)"><img src="b.png" alt=""></picture><figcaption></figcaption></figure></div>\n',
  cards:
    '<table data-card-size="large" data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th><th data-hidden data-card-cover data-type="image"></th></tr></thead><tbody><tr><td><strong>A</strong><br>b &#x26; c</td><td><a href="x/y.md">y.md</a></td><td data-object-fit="contain"><a href="c.png">Cover</a></td></tr></tbody></table>\n',
  'an HTML table with widths':
    '<table><thead><tr><th width="180">A</th><th align="center">B</th></tr></thead><tbody><tr><td><p>a</p><p>b</p></td><td align="center"><ul><li>x</li><li>y</li></ul></td></tr></tbody></table>\n',
  expandables:
    '<details>\n\n<summary>Why <strong>x</strong></summary>\n\nBody\n\n* a\n\n</details>\n\n<details>\n<summary>Tight</summary>\n\nBody\n</details>\n',
  math: '$$\na^2\n$$\n\nInline $$x_i$$ and $5.\n',
  'emoji, icons, buttons, expressions, small images':
    ':smile: <i class="fa-rocket">:rocket:</i> <i class="fa-x" style="color:$primary;">:x:</i> <a href="a.md" class="button primary" data-icon="gear">Go</a> {{ page.title }} <code class="expression">space.vars.x</code> <img src="a.png" alt="b" data-size="line"> at 10:30:45\n',
  'emphasis in languages without spaces':
    '**注意：**请使用**“多个”**功能，*テスト。*です ~~（旧）~~新 **(주)**는 a**b:**c 前__注__后 “**引**”\n',
  'expressions with escapes':
    'a <code class="expression">space.vars.A\\_B + "\\"\\\\"</code> {{ space.vars.A_B }} **<code class="expression">x\\[0]</code>**\n',
  'code with expressions and footnotes':
    '<pre class="language-sh"><code class="lang-sh">run <code class="expression">space.vars.x + "&#x3C;"</code> <a data-footnote-ref href="#user-content-fn-1">&#x3C;id></a>\n<strong>more <a data-footnote-ref href="#user-content-fn-1">x</a>\n</strong>b <strong>c</strong>\n</code></pre>\n\n[^1]: Yours\n',
  'footnotes of linked text':
    'a [b c](#user-content-fn-1)[^1] **d [e](#user-content-fn-x)[^x]**\n\n| [f \\| g](#user-content-fn-2)[^2] |\n| - |\n\n[^1]: First\n\n[^x]: \n\n[^2]: Last\n',
  'footnotes out of order':
    'a [b](#user-content-fn-2)[^2] [c](#user-content-fn-1)[^1]\n\n[^1]: First\n\n[^2]:\n',
  footnotes: 'a[^1] b[^note] c[^1]\n\n[^1]: First **one**\n\n[^note]: Second\n\n    more\n',
  'HTML nobody knows':
    '<div class="x" onclick="y">\n\n**md**\n\n</div>\n\n<!-- comment -->\ntext\n\n<iframe src="a"></iframe>\n\ntext with <span style="x">html</span>\n',
  'blank lines and line ends': '\n\n# A\nText  \n\n\n\nB\n\n\n',
  'windows line ends': '# A\r\n\r\n* b\r\n',
  'no line end at the end': 'a',
  nothing: '',
};
