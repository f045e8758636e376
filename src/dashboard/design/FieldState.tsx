/** What a field of a form knows after a submission: what was typed, what is wrong with it, and what describes it. */
import { type ComponentChildren, createContext, isValidElement } from "preact"
import { useContext } from "preact/hooks"
import { completed } from "../frame/FormBody.ts"
import { keepsTyped, type Submitted } from "../frame/Visit.ts"

/** What the fields of a form know of it: its id, what was typed, and what was wrong. */
export const FormContext = createContext<{ readonly id: string; readonly submitted: Submitted | null }>({
  id: "f",
  submitted: null
})

/** What was typed into the form that the part belongs to; null where nothing is kept. */
export const useTyped = (): Submitted["typed"] | null => {
  const { submitted } = useContext(FormContext)
  return submitted !== null && keepsTyped(submitted) ? submitted.typed : null
}

type FieldType =
  | "text"
  | "number"
  | "boolean"
  | "list"
  | "list+"
  | "numberList"
  | "lines"
  | "pairs"
  | "text?"
  | "word"
  | "word?"
  | "number?"
  | "raw"
  | "target"
  | "all"
  | "numbers"
  | "key"
  | "url"
  | "url?"
  | "socket"
  | "host"
  | "host?"
  | "email"
  | `moment@${string}`

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

/** What was typed at a path, also into a field of another type: the fields of a form may depend on a choice. */
const typedAt = (typed: Submitted["typed"], name: string, fieldName: string) =>
  typed.get(fieldName) ?? [...typed].find(([one]) => one === name || one.startsWith(`${name}:`))?.[1]

/** The name, value and problem of a field, after a submission with what was typed. */
export const useField = ({ as = "text", label, name, required = false, value }: {
  readonly name: string
  readonly as?: FieldType | undefined
  readonly label: ComponentChildren
  readonly value?: FieldProps["value"]
  readonly required?: boolean
}) => {
  const { id: form, submitted } = useContext(FormContext)
  const fieldName = as === "text" ? name : `${name}:${as}`
  const id = `${form}-${name.replaceAll(".", "-")}`
  const typed = submitted !== null && keepsTyped(submitted) ? typedAt(submitted.typed, name, fieldName) : undefined
  const given = typed?.at(-1)
  submitted?.fields.set(name, { id, label: plain(label).trim(), name, required, isEmpty: (given ?? "").trim() === "" })
  const problem = submitted?.problems.find(({ field }) => field?.name === name)
  return {
    fieldName,
    id,
    typed,
    current: given === undefined ? String(value ?? "") : completed(fieldName, given),
    issue: problem?.text ?? null
  }
}

/** What is wrong with a field, and its hint. */
export const FieldNotes = ({ field, hint }: {
  readonly field: ReturnType<typeof useField>
  readonly hint: ComponentChildren
}) => (
  <>
    {field.issue === null ? null : <span class="issue" id={`${field.id}-issue`}>{field.issue}</span>}
    {hint === undefined ? null : <span class="hint" id={`${field.id}-hint`}>{hint}</span>}
  </>
)

/** What `FieldNotes` say, for the control that they describe. */
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
