/** A table whose rows can be checked, and buttons that do something with all that are. Works without a script. */
import type { ComponentChildren } from "preact"
import type { BulkRow } from "../frame/BulkRow.ts"
import { isOperationId } from "../frame/CallShapes.ts"
import type { OperationId } from "../frame/DashboardApi.ts"
import { formAddress } from "../frame/FormAddress.ts"
import type { Refused } from "../frame/Refused.ts"
import { type Submitted, useVisit } from "../frame/Visit.ts"
import { FormContext } from "./FieldState.tsx"
import { useMay } from "./May.tsx"
import { Refusal } from "./Refusal.tsx"

type Children = { readonly children?: ComponentChildren }

const Hidden = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <input type="hidden" name={name} value={value} />
)

/** Only for people who see the button and its fields; for others, the frame shows the typed values. */
const BulkRefusal = ({ refused, submitted }: { readonly submitted: Submitted; readonly refused: Refused }) =>
  isOperationId(refused.operation) && useMay(refused.operation) ? <Refusal submitted={submitted} /> : null

/** The form around the table and its buttons. Without `then`, the view is shown again. */
export const BulkForm = ({ children, id, then }: Children & { readonly id: string; readonly then?: `/app${string}` }) => {
  const { formKey, submitted: last, url } = useVisit()
  const submitted = last?.form === id ? last : null
  return (
    <form method="post" id={id} class="bulk">
      {submitted?.refused === null || submitted === null
        ? null
        : <BulkRefusal submitted={submitted} refused={submitted.refused} />}
      <Hidden name="_form" value={id} />
      <Hidden name="_then" value={then ?? url} />
      <Hidden name="_key" value={`${formKey}-${id}`} />
      <FormContext.Provider value={{ id, submitted, edits: false }}>{children}</FormContext.Provider>
    </form>
  )
}

/** The box of a row. A refusal keeps its state. */
export const BulkCheck = ({ form, row }: { readonly form: string; readonly row: BulkRow }) => {
  const { submitted } = useVisit()
  const value = JSON.stringify(row)
  const checked = submitted?.form === form && (submitted.typed.get("_row") ?? []).includes(value)
  return <input type="checkbox" name="_row" value={value} checked={checked} aria-label={`Select ${row.name}`} />
}

/** Checks all boxes; it needs a script, which shows it. */
export const BulkCheckAll = () => <input type="checkbox" data-all="_row" aria-label="Select all rows of this page" />

export const BulkRows = ({ rows }: { readonly rows: ReadonlyArray<BulkRow> }) => (
  <>{rows.map((row) => <Hidden name="_row" value={JSON.stringify(row)} />)}</>
)

export const BulkButton = (
  { call, children, confirm, ids, look = "plain tight", own = [], said, set = {}, take = [], undo, within, ...named }:
    & Children
    & {
      readonly call: OperationId
      /** Notice in the next view: `{count:monitor} paused`. */
      readonly said: string
      /** Arguments that are the same for all rows. */
      readonly set?: Readonly<Record<string, string>>
      /** Names of fields in the form that are arguments, too. */
      readonly take?: ReadonlyArray<string>
      /** Names of fields that each row gets back as it had them. */
      readonly own?: ReadonlyArray<string>
      /** The argument that takes the values. Without it, each is an argument itself. */
      readonly within?: "set" | "add" | "remove"
      /** The argument that takes the ids of all rows; `ids` by default. */
      readonly ids?: string
      /** The operation that takes such a call back. */
      readonly undo?: OperationId
      /** The button's name for screen readers, if its text depends on what stands beside it. */
      readonly label?: string
      readonly confirm?: `/app${string}`
      readonly look?: "plain tight" | "danger tight" | "danger" | ""
    }
) => {
  const visit = useVisit()
  if (!useMay(call)) return null
  const action = formAddress(visit, `do-all/${call}`, {
    ...set,
    _said: said,
    ...(take.length === 0 ? {} : { _take: take.join(",") }),
    ...(own.length === 0 ? {} : { _own: own.join(",") }),
    ...(within === undefined ? {} : { _in: within }),
    ...(ids === undefined ? {} : { _ids: ids }),
    ...(undo === undefined ? {} : { _undo: undo }),
    ...(confirm === undefined ? {} : { _confirm: confirm })
  })
  return <button class={look} formAction={action} aria-label={named.label}>{children}</button>
}
