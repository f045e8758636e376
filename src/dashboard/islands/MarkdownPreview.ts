/** Shows Markdown as pages and the dashboard do. Loaded with the first preview, because reading Markdown takes a large script. */
import { markdownHtml } from "../../domain/markdown/MarkdownHtml.ts"
import { readMarkdown } from "../../domain/markdown/ReadMarkdown.ts"

/** The HTML holds only what the reader of Markdown lets through: no HTML of the text, and links to the web and mail alone. */
export const showMarkdown = (element: HTMLElement, text: string): void => {
  element.innerHTML = markdownHtml(readMarkdown(text), {
    heading: 3,
    attributes: { pre: `tabindex="0"` },
    breaks: true,
    images: location.origin
  })
}
