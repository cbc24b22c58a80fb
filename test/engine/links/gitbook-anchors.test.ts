import { describe, expect, test } from 'vitest';
import { anchorTitles, titledAnchorsIn } from '../../../routers/engine/links/anchor-titles.ts';
import { collectDocumentLinks, foldAnchor } from '../../../routers/engine/links/document-links.ts';
import { createGitbookAnchors } from '../../../routers/engine/links/gitbook-anchors.ts';
import { parseMarkdown } from '../../../routers/engine/markdown/markdown.ts';

/** Titles of public documentation, with the anchors in links to them that GitBook wrote. */
const WRITTEN = [
  ['知识库配置', 'zhi-shi-ku-pei-zhi'],
  ['2 引用与归属', 'id-2-yin-yong-yu-gui-shu'],
  ['Что такое рыночный повтор', 'chto-takoe-rynochnyi-povtor'],
  ['Настройка DHCP-сервера с привязкой IP к MAC', 'nastroika-dhcp-servera-s-privyazkoi-ip-k-mac'],
  ['Überprüfung neuer Produkte', 'ueberpruefung-neuer-produkte'],
  ['request > template > metadata', 'request-greater-than-template-greater-than-metadata'],
  ['Mobile Badge | Released', 'mobile-badge-or-released'],
  ['● 실무 사용 LoopScrollView_Custom', 'loopscrollview_custom'],
] as const;

describe('anchors that GitBook derives', () => {
  test.each(WRITTEN)('a heading %j is found by %s', (title, anchor) => {
    expect(collectDocumentLinks(parseMarkdown(`## ${title}\n`)).anchors).toContain(foldAnchor(anchor));
    const titles = anchorTitles(titledAnchorsIn(parseMarkdown(`## ${title}\n`)));
    expect(titles(anchor)).toBe(title);
    expect(titles('another')).toBeUndefined();
  });

  // From a page whose table of contents lists the headings but the first, and whose second title is that of an expandable.
  test('titles without Latin letters are numbered in the order of headings and expandables', () => {
    const document = parseMarkdown(
      '#### ○ 해당 스크롤 뷰\n\n<details>\n\n<summary>목차</summary>\n\nText.\n\n</details>\n\n## ● 구조도\n\n## ● 주요 변수\n',
    );
    const titles = anchorTitles(titledAnchorsIn(document));
    const anchors = ['undefined', 'undefined-1', 'undefined-2', 'undefined-3'];
    expect(anchors.map(titles)).toEqual(['○ 해당 스크롤 뷰', '목차', '● 구조도', '● 주요 변수']);
    expect(collectDocumentLinks(document).anchors).toEqual(expect.arrayContaining(anchors.map(foldAnchor)));
  });

  test('titles from which other tools derive the same are only counted', () => {
    const anchorOf = createGitbookAnchors();
    expect(['Wo <a>', 'Wo?', 'wo', 'Wo: é'].map(anchorOf)).toEqual([
      'wo-less-than-a-greater-than',
      undefined,
      undefined,
      'wo-e',
    ]);
    expect(['Neu', 'neu!', 'néu'].map(createGitbookAnchors())).toEqual([undefined, undefined, 'neu-2']);
  });

  test('very long titles have none, and neither have more than the allowance permits', () => {
    expect(createGitbookAnchors()('知'.repeat(301))).toBeUndefined();
    expect(['知识', '知识', '知'].map(createGitbookAnchors({ left: 4 }))).toEqual([
      'zhi-shi',
      'zhi-shi-1',
      undefined,
    ]);
  });
});
