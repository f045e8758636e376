/** The state of a form's field after a submission: its typed value, its problem, and its description. */
import { type ComponentChildren, createContext, isValidElement } from "preact"
import { useContext } from "preact/hooks"
import { completed, type FieldType, unitOf } from "../frame/FormBody.ts"
import { keepsTyped, type Submitted } from "../frame/Visit.ts"

interface FieldsForm {
  readonly id: string
  /** Its last submission; null without one. */
  readonly submitted: Submitted | null
  /** Whether it edits a record. */
  readonly edits: boolean
}

export const FormContext = createContext<FieldsForm>({ id: "f", submitted: null, edits: false })

/** The values typed into the surrounding form; null where none are kept. */
export const useTyped = (): Submitted["typed"] | null => {
  const { submitted } = useContext(FormContext)
  return submitted !== null && keepsTyped(submitted) ? submitted.typed : null
}

/** How many rows of a list were typed into the surrounding form. */
export const useTypedRows = (path: string): number => {
  const indexes = [...(useTyped() ?? new Map<string, unknown>()).keys()].map((name) =>
    name.startsWith(`${path}.`) ? Number.parseInt(name.slice(path.length + 1), 10) : -1
  )
  return Math.max(0, ...indexes.map((index) => index + 1))
}

export interface FieldProps {
  /** The argument's path: `name`, `theme.accent`, `assertions.0.op`. */
  readonly name: string
  readonly as?: FieldType
  readonly label: ComponentChildren
  readonly hint?: ComponentChildren
  readonly value?: string | number | null | undefined
  readonly required?: boolean
}

/** The text of a label, without its markup. */
const plain = (label: ComponentChildren): string =>
  Array.isArray(label)
    ? label.map(plain).join("")
    : isValidElement(label)
    ? plain(label.props.children)
    : typeof label === "string" || typeof label === "number"
    ? String(label)
    : ""

/** The values typed at a path, also into a field of another type: the fields of a form may depend on a choice. */
const typedAt = (typed: Submitted["typed"], name: string, fieldName: string) =>
  typed.get(fieldName) ?? [...typed].find(([one]) => one === name || one.startsWith(`${name}:`))?.[1]

/** Whether emptying the field would leave the record as it is: a number that nothing clears. Those of rows go with their rows. */
const staysAsItWas = (as: FieldType, name: string, value: FieldProps["value"]): boolean =>
  (as === "number" || (unitOf(as) !== null && !as.endsWith("?"))) && value !== null && value !== undefined && !/\.\d/.test(name)

/** The name, value and problem of a field; after a submission, the typed value. */
export const useField = ({ as = "text", label, name, required = false, value }: {
  readonly name: string
  readonly as?: FieldType | undefined
  readonly label: ComponentChildren
  readonly value?: FieldProps["value"]
  readonly required?: boolean
}) => {
  const { edits, id: form, submitted } = useContext(FormContext)
  const isNeeded = required || (edits && staysAsItWas(as, name, value))
  const fieldName = as === "text" ? name : `${name}:${as}`
  const id = `${form}-${name.replaceAll(".", "-")}`
  const typed = submitted !== null && keepsTyped(submitted) ? typedAt(submitted.typed, name, fieldName) : undefined
  const given = typed?.at(-1)
  const isEmpty = (given ?? "").trim() === ""
  submitted?.fields.set(name, { id, label: plain(label).trim(), name, required: isNeeded, isEmpty, unit: unitOf(as) })
  const problem = submitted?.problems.find(({ field }) => field?.name === name)
  return {
    fieldName,
    id,
    required: isNeeded,
    typed,
    current: given === undefined ? String(value ?? "") : completed(fieldName, given),
    issue: problem?.text ?? null
  }
}

export const FieldNotes = ({ field, hint }: {
  readonly field: ReturnType<typeof useField>
  readonly hint: ComponentChildren
}) => (
  <>
    {field.issue === null ? null : <span class="issue" id={`${field.id}-issue`}>{field.issue}</span>}
    {hint === undefined ? null : <span class="hint" id={`${field.id}-hint`}>{hint}</span>}
  </>
)

/** Attributes that link a control to its `FieldNotes`. */
export const described = (field: ReturnType<typeof useField>, hint: unknown) => {
  const by = [field.issue === null ? null : `${field.id}-issue`, hint === undefined ? null : `${field.id}-hint`]
    .filter((id) => id !== null).join(" ")
  return {
    // A script carries it on when the form is shown with other fields.
    ...(field.typed === undefined ? {} : { "data-typed": "" }),
    ...(field.issue === null ? {} : { "aria-invalid": true as const }),
    ...(by === "" ? {} : { "aria-describedby": by })
  }
}
