/** A text that a person wrote as Markdown. */
import { markdownHtml } from "../../domain/markdown/MarkdownHtml.ts"
import { readMarkdown } from "../../domain/markdown/ReadMarkdown.ts"

/** Blocks that are too wide scroll in their box, also by keyboard. */
const attributes = { pre: `tabindex="0"` }

/** `heading` is the level of its highest heading. */
export const Markdown = ({ heading = 4, text }: { readonly text: string; readonly heading?: number }) => (
  <div class="md" dangerouslySetInnerHTML={{ __html: markdownHtml(readMarkdown(text), { heading, attributes, breaks: true }) }} />
)
