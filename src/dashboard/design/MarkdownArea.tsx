/** A field for a text that is shown as Markdown, and says so. A script adds a preview and takes pictures. */
import { Markdown } from "../../pages/html/Markdown.tsx"
import { useVisit } from "../frame/Visit.ts"
import type { FieldProps } from "./FieldState.tsx"
import { Area } from "./Form.tsx"
import { Island } from "./Parts.tsx"

/** The text as it was sent, until a script shows what is typed. */
const Shown = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <div class="md-shown" role="region" aria-label={label} tabindex={0}>
    <Markdown text={text} heading={3} images={useVisit().baseUrl} />
  </div>
)

export const MarkdownArea = ({ hint, isWide = false, samples = null, ...field }: FieldProps & {
  readonly rows?: number
  readonly code?: boolean
  /** Whether the preview stays beside the text, where there is room. */
  readonly isWide?: boolean
  /** The placeholders of a template, each with what stands for it in the preview. */
  readonly samples?: Readonly<Record<string, string>> | null
}) => (
  <Island name="markdown" props={{ samples }}>
    <div class={isWide ? "md-both" : undefined}>
      <Area {...field} hint={<>{hint} You can use Markdown: **bold**, lists, [a link](https://…).</>} />
      {isWide ? <Shown label="Preview" text={String(field.value ?? "")} /> : null}
    </div>
  </Island>
)
