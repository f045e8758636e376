/** Forms without an operation: filters of a list, and choices that are part of the address. */
import { type ComponentChildren, h } from "preact"

/** The filters of a list. A script applies them as they change. */
export const Filters = ({ children }: { readonly children: ComponentChildren }) => (
  <form class="filters" method="get" data-auto>
    {children}
    <button class="plain">Filter</button>
  </form>
)

export const PlainSelect = ({ id, label, name = id, options, value }: {
  readonly id: string
  readonly label: string
  readonly name?: string
  readonly value: string | null | undefined
  readonly options: ReadonlyArray<readonly [value: string, text: string]>
}) => (
  <div class="field">
    <label for={id}>{label}</label>
    <select id={id} name={name}>
      {options.map(([given, text]) => <option value={given} selected={given === value}>{text}</option>)}
    </select>
  </div>
)

export const PlainInput = ({ grow = false, id, label, type = "text", ...attributes }: {
  readonly id: string
  readonly label: string
  readonly name: string
  readonly value: string
  readonly type?: "text" | "search" | "date" | "datetime-local"
  readonly placeholder?: string
  readonly maxlength?: number
  readonly grow?: boolean
}) => (
  <div class={grow ? "field grow" : "field"}>
    <label for={id}>{label}</label>
    {h("input", { id, type, dir: "auto", ...attributes })}
  </div>
)

/** In a single line of filters: the label is for screen readers, and shown in the empty field. */
export const BareFilter = ({ grow = false, id, label, type = "text", ...attributes }: {
  readonly id: string
  readonly label: string
  readonly name: string
  readonly value: string
  readonly type?: "text" | "search"
  readonly maxlength?: number
  readonly grow?: boolean
}) =>
  h("input", {
    id,
    type,
    "dir": "auto",
    "class": grow ? "grow" : undefined,
    "aria-label": label,
    "placeholder": label,
    ...attributes
  })

/** Its first option says what it is about. */
export const BareFilterSelect = ({ id, label, name, options, value }: {
  readonly id: string
  readonly label: string
  readonly name: string
  readonly value: string | null | undefined
  readonly options: ReadonlyArray<readonly [value: string, text: string]>
}) => (
  <select id={id} name={name} aria-label={label}>
    {options.map(([given, text]) => <option value={given} selected={given === (value ?? "")}>{text}</option>)}
  </select>
)
