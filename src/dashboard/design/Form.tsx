/** Forms that call an operation, their fields, and buttons that are forms of their own. */
import { type ComponentChildren, h } from "preact"
import { isTool } from "../frame/CallShapes.ts"
import { type AnswerOf, decodedAnswer, operationById, type OperationId } from "../frame/DashboardApi.ts"
import { loadedText } from "../frame/Edits.ts"
import { formAddress } from "../frame/FormAddress.ts"
import { formBody } from "../frame/FormBody.ts"
import { keepsTyped, type Submitted, useVisit } from "../frame/Visit.ts"
import { CopyCall } from "./CopyCall.tsx"
import { described, FieldNotes, type FieldProps, FormContext, useField } from "./FieldState.tsx"
import { useMay } from "./May.tsx"
import { Refusal } from "./Refusal.tsx"

type Children = { readonly children?: ComponentChildren }

/** Fixed fields: ids, and the values that a button sets. The names may carry a type, as in `paused:boolean`. */
export type Fixed = Readonly<Record<string, string | number | boolean>>

export interface CallFormProps extends Children {
  readonly call: OperationId
  /** Unique in its view. */
  readonly id: string
  readonly fixed?: Fixed
  /** The record that the form edits: fields that are as it was are not sent. */
  readonly of?: object
  /**
   * Where to go after success, with fields of the answer: `/app/monitors/{id}`. Without it, the path of this view if something is
   * `said`; otherwise the view is shown with the answer.
   */
  readonly then?: `/app${string}`
  /** Notice in the next view: "Monitor paused". */
  readonly said?: string
  /** The call that reverses this one, offered in the notice. */
  readonly undo?: { readonly operation: OperationId; readonly given: Readonly<Record<string, string>> }
  readonly class?: string
  readonly copy?: boolean
  /** Shown if the person's role does not allow the call. Default: a note that says so; nothing in place of a button or a line. */
  readonly otherwise?: ComponentChildren
}

const Hidden = ({ name, value }: { readonly name: string; readonly value: string | undefined }) =>
  value === undefined ? null : <input type="hidden" name={name} value={value} />

const isDone = (submitted: Submitted, call: OperationId): boolean =>
  submitted.answer !== null && submitted.action.split("?")[0] === `/app/do/${call}`

/** A form with typed values keeps the record as it was when they were typed, but for what was refused because it had changed since. */
const LoadedFrom = ({ call, record, submitted }: {
  readonly call: OperationId
  readonly record: object
  readonly submitted: Submitted | null
}) => {
  const operation = operationById.get(call)
  const isTyped = submitted !== null && keepsTyped(submitted) && !isDone(submitted, call)
  const posted = isTyped ? submitted.typed.get("_loaded")?.[0] : undefined
  const refused = submitted?.refused ?? null
  const overtaken = refused?.status === 409 ? refused.issues.map(({ path }) => path) : []
  return operation === undefined ? null : <Hidden name="_loaded" value={loadedText(operation, record, posted, overtaken)} />
}

/** Live updates keep typed values; while they are not sent, leaving the view asks first. */
const standing = (submitted: Submitted, call: OperationId) =>
  keepsTyped(submitted) ? isDone(submitted, call) ? { "data-kept": "" } : { "data-dirty": "" } : {}

const notAllowed = <p class="note">Your role does not allow this.</p>

/**
 * A form whose fields are the arguments of an operation. It works without a script; a failure keeps typed values, and a
 * repeated submission runs once.
 */
export const CallForm = (props: CallFormProps) => {
  const { call, children, class: look = "form", copy = true, fixed = {}, id, of, said, then, undo } = props
  const visit = useVisit()
  const submitted = visit.submitted?.form === id ? visit.submitted : null
  if (!useMay(call)) return <>{props.otherwise ?? (look.startsWith("form") ? notAllowed : null)}</>
  const entries = Object.entries(fixed).map(([name, value]) => [name, String(value)] as const)
  return (
    <form
      method="post"
      action={formAddress(visit, `do/${call}`)}
      id={id}
      class={look}
      data-call={call}
      {...(submitted === null ? {} : standing(submitted, call))}
    >
      {submitted === null ? null : <Refusal submitted={submitted} />}
      <Hidden name="_form" value={id} />
      <Hidden name="_then" value={then ?? (said === undefined ? undefined : visit.url.split("?")[0])} />
      <Hidden name="_said" value={said} />
      <Hidden name="_undo" value={undo === undefined ? undefined : JSON.stringify(undo)} />
      <Hidden name="_key" value={`${visit.formKey}-${id}`} />
      {of === undefined ? null : <LoadedFrom call={call} record={of} submitted={submitted} />}
      <Hidden name="_fixed" value={entries.map(([name]) => name).join(" ") || undefined} />
      {entries.map(([name, value]) => <Hidden name={name} value={value} />)}
      <FormContext.Provider value={{ id, submitted, edits: of !== undefined }}>{children}</FormContext.Provider>
      {copy && isTool(call) ? <CopyCall call={call} given={formBody(entries)} form={id} /> : null}
    </form>
  )
}

export const CallButton = ({ children, look = "plain", ...form }: Omit<CallFormProps, "class"> & {
  readonly look?: "plain" | "danger" | "" | "plain tight" | "danger tight"
}) => (
  <CallForm copy={false} {...form} class="button-form">
    <button class={look}>{children}</button>
  </CallForm>
)

/** The answer of the form's operation; null without a success. */
export const useAnswerOf = <Id extends OperationId>(form: string, call: Id): AnswerOf<Id> | null => {
  const { submitted } = useVisit()
  return submitted?.form === form && submitted.refused === null ? decodedAnswer(call, submitted.answer) : null
}

const Frame = ({ children, field, hint, label, required }: Children & {
  readonly field: ReturnType<typeof useField>
  readonly label: ComponentChildren
  readonly hint: ComponentChildren
  readonly required: boolean
}) => (
  <div class="field">
    <label for={field.id}>
      {label}
      {required ? null : <span class="optional">{" "}(optional)</span>}
    </label>
    {children}
    <FieldNotes field={field} hint={hint} />
  </div>
)

const addressAttributes = { inputmode: "url", autocapitalize: "none", spellcheck: "false" } as const

type InputType =
  | "text"
  | "number"
  | "email"
  | "url"
  | "password"
  | "datetime-local"
  | "date"
  | "time"
  | "color"
  | "search"

/** The type of the field, by default that of its input. */
const typeOf = (as: FieldProps["as"], type: InputType): FieldProps["as"] =>
  type === "url" && (as === undefined || as === "text" || as === "text?")
    ? as === "text?" ? "url?" : "url"
    : as ?? (type === "number" || type === "email" ? type : "text")

/** A line of text. Other attributes go to the input. */
export const Field = ({ as, attributes = {}, hint, label, name, required = false, type = "text", value }: FieldProps & {
  readonly type?: InputType
  readonly attributes?: Readonly<Record<string, string | number | boolean>>
}) => {
  const field = useField({ name, as: typeOf(as, type), label, required, value })
  return (
    <Frame field={field} label={label} hint={hint} required={field.required}>
      {h("input", {
        ...(type === "url" ? addressAttributes : type === "text" || type === "search" ? { dir: "auto" } : {}),
        ...attributes,
        ...described(field, hint),
        // A browser takes only whole URLs into a field of that type.
        type: type === "url" ? "text" : type,
        id: field.id,
        name: field.fieldName,
        // A password is not sent back.
        value: type === "password" ? "" : field.current,
        required: field.required
      })}
    </Frame>
  )
}

export const Area = (
  { around = (control) => control, as, code = false, hint, label, name, placeholder, required = false, rows = 4, value }:
    & FieldProps
    & {
      readonly rows?: number
      readonly placeholder?: string
      readonly code?: boolean
      /** Puts the control into a part of a view. */
      readonly around?: (control: ComponentChildren) => ComponentChildren
    }
) => {
  const field = useField({ name, as: as ?? "text", label, required, value })
  return (
    <Frame field={field} label={label} hint={hint} required={required}>
      {around(
        <textarea
          {...described(field, hint)}
          id={field.id}
          name={field.fieldName}
          rows={rows}
          required={required}
          placeholder={placeholder}
          {...(code ? { class: "code", spellcheck: false } : { dir: "auto" })}
        >
          {field.current}
        </textarea>
      )}
    </Frame>
  )
}

/** One of several values. `chosen`: it must not be empty. */
export const Select = ({ as, chosen = false, hint, label, name, options, required = true, value }: FieldProps & {
  readonly options: ReadonlyArray<readonly [value: string, label: string]>
  readonly chosen?: boolean
}) => {
  const field = useField({ name, as: as ?? "text", label, required: chosen, value })
  return (
    <Frame field={field} label={label} hint={hint} required={required}>
      <select {...described(field, hint)} id={field.id} name={field.fieldName} required={chosen}>
        {options.map(([given, text]) => <option value={given} selected={given === field.current}>{text}</option>)}
      </select>
    </Frame>
  )
}

/** A boolean. The hidden field sends false when the box is not checked. */
export const Check = ({ checked, hint, label, name }: {
  readonly name: string
  readonly label: ComponentChildren
  readonly checked: boolean
  readonly hint?: ComponentChildren
}) => {
  const field = useField({ name, as: "boolean", label })
  const on = field.typed === undefined ? checked : field.typed.includes("true")
  return (
    <div class="field">
      <input type="hidden" name={field.fieldName} value="false" />
      <label class="choice" for={field.id}>
        <input
          {...described(field, hint)}
          type="checkbox"
          id={field.id}
          name={field.fieldName}
          value="true"
          checked={on}
        />
        <span>
          {label}
          <FieldNotes field={field} hint={hint} />
        </span>
      </label>
    </div>
  )
}

export const Buttons = ({ children }: Children) => <div class="buttons">{children}</div>

/** The button that sends a form, and the link to the view that a person returns to instead. */
export const Submit = ({ cancel, children, look }: Children & {
  readonly look?: "plain" | "danger"
  readonly cancel?: string
}) => (
  <Buttons>
    <button class={look}>{children}</button>
    {cancel === undefined ? null : <a class="button plain" href={cancel}>Cancel</a>}
  </Buttons>
)

/** Sends the form with another value of a field, and says something else afterwards. */
export const AlsoButton = ({ call, children, name, said, value }: Children & {
  readonly call: OperationId
  readonly name: string
  readonly value: string
  readonly said: string
}) => {
  const visit = useVisit()
  return (
    <button class="plain" name={name} value={value} formAction={formAddress(visit, `do/${call}`, { _said: said })}>
      {children}
    </button>
  )
}

/** The form reads the answer with `useAnswerOf`; the fields keep their typed values. */
export const TryButton = ({ call, children }: { readonly call: OperationId; readonly children: ComponentChildren }) => {
  const visit = useVisit()
  if (!useMay(call)) return null
  return (
    <button
      class="plain"
      name="_stay"
      value="true"
      formNoValidate
      formAction={formAddress(visit, `do/${call}`)}
    >
      {children}
    </button>
  )
}
