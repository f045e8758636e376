/** A field for a text that is shown as Markdown, and says so. */
import type { FieldProps } from "./FieldState.tsx"
import { Area } from "./Form.tsx"

export const MarkdownArea = ({ hint, ...field }: FieldProps & { readonly rows?: number; readonly code?: boolean }) => (
  <Area {...field} hint={<>{hint} You can use Markdown: **bold**, lists, [a link](https://…).</>} />
)
