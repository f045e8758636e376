/** Controls without a frame of their own, for rows of a form: they keep typed values and show their problems. */
import type { ComponentChildren } from "preact"
import { described, FieldNotes, type FieldProps, useField } from "./FieldState.tsx"

type BareProps = Pick<FieldProps, "name" | "as"> & {
  /** The control's name for screen readers. */
  readonly label: string
  readonly value?: string | number | undefined
}

const Framed = ({ children, field }: {
  readonly field: ReturnType<typeof useField>
  readonly children: ComponentChildren
}) =>
  field.issue === null ? <>{children}</> : (
    <div class="field">
      {children}
      <FieldNotes field={field} hint={undefined} />
    </div>
  )

export const BareInput = ({ attributes = {}, label, ...props }: BareProps & {
  readonly attributes?: Readonly<Record<string, string | number | boolean>>
}) => {
  const field = useField({ ...props, label })
  return (
    <Framed field={field}>
      <input
        dir="auto"
        {...attributes}
        {...described(field, undefined)}
        id={field.id}
        name={field.fieldName}
        value={field.current}
        aria-label={label}
      />
    </Framed>
  )
}

export const BareSelect = ({ label, options, ...props }: BareProps & {
  readonly options: ReadonlyArray<readonly [value: string, text: ComponentChildren]>
}) => {
  const field = useField({ ...props, label })
  return (
    <Framed field={field}>
      <select {...described(field, undefined)} id={field.id} name={field.fieldName} aria-label={label}>
        {options.map(([value, text]) => <option value={value} selected={value === field.current}>{text}</option>)}
      </select>
    </Framed>
  )
}
