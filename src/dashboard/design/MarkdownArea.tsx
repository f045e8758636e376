/** A field for a text that is shown as Markdown, and says so. A script adds a preview and takes pictures. */
import type { FieldProps } from "./FieldState.tsx"
import { Area } from "./Form.tsx"
import { Island } from "./Parts.tsx"

export const MarkdownArea = ({ hint, isWide = false, samples = null, ...field }: FieldProps & {
  readonly rows?: number
  readonly code?: boolean
  /** Whether the preview stays beside the text, where there is room. */
  readonly isWide?: boolean
  /** The placeholders of a template, each with what stands for it in the preview. */
  readonly samples?: Readonly<Record<string, string>> | null
}) => (
  <Island name="markdown" props={{ isWide, samples }}>
    <Area {...field} hint={<>{hint} You can use Markdown: **bold**, lists, [a link](https://…).</>} />
  </Island>
)
