/** A text that a person wrote as Markdown. */
import { markdownHtml } from "../../domain/markdown/MarkdownHtml.ts"
import { readMarkdown } from "../../domain/markdown/ReadMarkdown.ts"

/** Blocks that are too wide scroll in their box, also by keyboard. */
const attributes = { pre: `tabindex="0"` }

interface MarkdownProps {
  readonly text: string
  /** The level of its highest heading. */
  readonly heading?: number
  /** The address of the service, to show images that were uploaded there. */
  readonly images?: string | undefined
}

export const Markdown = ({ heading = 4, images, text }: MarkdownProps) => (
  <div
    class="md"
    dangerouslySetInnerHTML={{ __html: markdownHtml(readMarkdown(text), { heading, attributes, breaks: true, images }) }}
  />
)
