/** One request for a view: the person, their locale, the path, and the form that was just posted. */
import { Context, type DateTime, Schema } from "effect"
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { MyWorkspace } from "../../../schema/people/Person.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import type { Arguments, Caller } from "../../http/server/InProcessCall.ts"
import type { Theme } from "../Theme.ts"
import type { Restore } from "./BulkRow.ts"
import type { Json } from "./FormBody.ts"
import type { Refused } from "./Refused.ts"

export interface ShownField {
  /** The argument's path, `assertions.0.op`. */
  readonly name: string
  readonly id: string
  readonly label: string
  readonly required: boolean
  readonly isEmpty: boolean
  /** The unit of the argument, in ms, if the field is for a duration. */
  readonly unit: number | null
}

/** A problem with a form, in the form's words. */
export interface Problem {
  /** Null if no field of the form has it. */
  readonly field: ShownField | null
  readonly text: string
}

/** A form that was posted and whose view is shown again. */
export interface Submitted {
  readonly form: string
  /** Where it was sent: path and query. */
  readonly action: string
  readonly typed: ReadonlyMap<string, ReadonlyArray<string>>
  readonly refused: Refused | null
  readonly answer: Json
  /** The form was not sent, but is shown with other fields. */
  readonly isCarried: boolean
  /** The fields that the form has here, by name: they add themselves when they are rendered. */
  readonly fields: Map<string, ShownField>
  /** Why it was refused, once its fields are known. */
  readonly problems: ReadonlyArray<Problem>
}

/** A form that was posted; by default done, with nothing to show. */
export const submission = (
  given: Pick<Submitted, "form" | "action" | "typed"> & Partial<Pick<Submitted, "refused" | "answer" | "isCarried">>
): Submitted => ({ refused: null, answer: null, isCarried: false, fields: new Map(), problems: [], ...given })

/** Whether the form is shown with its typed values: it is not done. */
export const keepsTyped = ({ answer, isCarried, refused }: Submitted): boolean => isCarried || refused !== null || answer !== null

/** A call that reverses another one. */
export const Undo = Schema.Struct({
  operation: Schema.String,
  given: Schema.Record({ key: Schema.String, value: Schema.String })
})

/** The result of the last form, shown once. */
export interface Notice {
  readonly said: string
  readonly undo: typeof Undo.Type | null
  /** Undoes a change of many rows. */
  readonly restore?: Restore
}

export interface VisitData {
  readonly person: PersonIdentity
  /** Null for a person without a workspace. */
  readonly workspace: MyWorkspace | null
  readonly workspaces: ReadonlyArray<MyWorkspace>
  readonly caller: Caller
  readonly baseUrl: string
  /** Whether an AI provider is configured: without one, nothing that needs it is offered. */
  readonly hasAi: boolean
  readonly url: string
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: URLSearchParams
  /** IANA name, from the browser's cookie. */
  readonly zone: string
  /** BCP 47. */
  readonly locale: string
  readonly theme: Theme
  readonly now: DateTime.Utc
  readonly submitted: Submitted | null
  /** The idempotency key of the forms shown now: each runs at most once. */
  readonly formKey: string
  readonly notice: Notice | null
  /** Whether no mail server is set, so that mail reaches nobody. */
  readonly capturesMail: boolean
  /** The calls that the view makes, to be shown as API calls. */
  readonly calls: Array<{ readonly operation: string; readonly given: Arguments }>
}

export class Visit extends Context.Tag("belltower/Visit")<Visit, VisitData>() {}

const VisitContext = createContext<VisitData | null>(null)

export const VisitProvider = VisitContext.Provider

export const useVisit = (): VisitData => {
  const visit = useContext(VisitContext)
  if (visit === null) throw new Error("A part of a view was rendered outside its visit")
  return visit
}
