// Markdown of models as safe elements. Two libraries, each enough alone: the first writes no HTML that it
// was given, the second lets nothing through but a short list.
import DOMPurify from 'dompurify';
import { Marked, type Tokens } from 'marked';

const TAGS = [
  ...['p', 'br', 'hr', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'a'],
  ...['ul', 'ol', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
];

const marked = new Marked({
  async: false,
  breaks: true,
  gfm: true,
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escaped(text),
    // An image would tell its host who reads this: only its address is shown.
    image: ({ href, text }: Tokens.Image) => `<a href="${escaped(href)}">${escaped(text || href)}</a>`,
    checkbox: ({ checked }: Tokens.Checkbox) => (checked ? '☑ ' : '☐ '),
  },
});

const purify = DOMPurify(window);
purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A' || !node.hasAttribute('href')) return;
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer nofollow');
});

/** What blocks are called that may be wider than the screen. */
export interface Names {
  code: string;
  table: string;
}

/** What a model wrote, to be put into the page. */
export function elements(markdown: string, names: Names): DocumentFragment {
  const written = safe(markdown);
  rank(written.querySelectorAll('h1, h2, h3, h4, h5, h6'));
  for (const code of written.querySelectorAll('pre')) makeReachable(code, names.code);
  for (const table of written.querySelectorAll('table')) {
    const block = document.createElement('div');
    block.className = 'scrolls';
    table.replaceWith(block);
    block.append(table);
    makeReachable(block, names.table);
  }
  return written;
}

function safe(markdown: string): DocumentFragment {
  return purify.sanitize(marked.parse(markdown) as string, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ['href', 'start', 'align'],
    // The expression below is for addresses; these are none.
    ADD_URI_SAFE_ATTR: ['start', 'align'],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}

/** The page has the first two levels itself, and no level is left out on the way down. */
function rank(headings: Iterable<Element>): void {
  const level = (heading: Element) => Number(heading.tagName.slice(1));
  const all = [...headings];
  const highest = Math.min(...all.map(level));
  let before = 2;
  for (const heading of all) {
    before = Math.min(3 + level(heading) - highest, before + 1, 6);
    const ranked = document.createElement(`h${before}`);
    ranked.append(...heading.childNodes);
    heading.replaceWith(ranked);
  }
}

/** It scrolls by itself, so whoever has no mouse must be able to go there. */
function makeReachable(block: HTMLElement, name: string): void {
  block.tabIndex = 0;
  block.setAttribute('role', 'group');
  block.setAttribute('aria-label', name);
}

function escaped(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (char) => names[char] ?? char);
}
