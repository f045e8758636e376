/** A text area for code, which a script replaces by an editor once it is seen. */
import type { FieldProps } from "./FieldState.tsx"
import { Area } from "./Form.tsx"
import { Island } from "./Parts.tsx"

export type Snippet = readonly [name: string, template: string]

export const CodeArea = ({ language, rows = 10, snippets = [], ...area }: Omit<FieldProps, "label"> & {
  readonly label: string
  readonly language: "javascript" | "json" | "css" | "yaml"
  readonly rows?: number
  readonly placeholder?: string
  readonly snippets?: ReadonlyArray<Snippet>
}) => (
  <Area
    {...area}
    rows={rows}
    code
    around={(control) => <Island name="code" keep props={{ language, rows, snippets, label: area.label }}>{control}</Island>}
  />
)
