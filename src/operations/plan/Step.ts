/** One step of a plan: the change of one resource, and how it is made. */
import { Effect } from "effect"
import { Conflict, Forbidden, type NotFound, PlanLimit, ValidationFailed } from "../../../schema/Errors.ts"
import type { DocumentKind } from "../../../schema/plan/WorkspaceDocument.ts"
import { type FieldChange, fieldChanges, type Fields } from "../../domain/plan/FieldChanges.ts"
import type { WorkspaceState } from "./LoadWorkspace.ts"

export type StepFailure = Conflict | Forbidden | NotFound | PlanLimit | ValidationFailed

/** The ids of things by kind and key; steps add those of what they make. */
export interface Made {
  /** Dies for an unknown key: plans refuse those before. */
  readonly idOf: (kind: DocumentKind, key: string) => string
  readonly add: (kind: DocumentKind, key: string, id: string) => void
}

export interface Step {
  readonly action: "create" | "update" | "delete" | "unchanged"
  readonly kind: DocumentKind
  readonly key: string
  readonly id: string | null
  readonly name: string
  readonly changes: ReadonlyArray<FieldChange>
  /** The fields of which nothing may be shown. */
  readonly hidden: ReadonlySet<string>
  /** In the transaction that applies the plan. Returns the id of the thing. */
  readonly perform: (made: Made) => Effect.Effect<string, StepFailure>
}

/** The key of a component, which is unique only on its page. */
export const componentKey = (page: string, component: string): string => `${page}/${component}`

export const makeMade = ({ components, keys }: WorkspaceState): Made => {
  const known = new Map<string, string>()
  for (const kind of ["monitor", "channel", "page", "schedule", "policy", "template"] as const) {
    for (const [key, id] of keys[kind].idOf) known.set(`${kind} ${key}`, id)
  }
  for (const { id, key, pageId } of components) {
    known.set(`component ${componentKey(keys.page.keyOf.get(pageId) ?? "", key)}`, id)
  }
  return {
    idOf: (kind, key) => {
      const id = known.get(`${kind} ${key}`)
      if (id === undefined) throw new Error(`A plan refers to the ${kind} ${key}, which it does not make`)
      return id
    },
    add: (kind, key, id) => void known.set(`${kind} ${key}`, id)
  }
}

interface Wanted extends Pick<Step, "kind" | "key" | "id" | "name"> {
  readonly from: Fields | null
  readonly to: Fields
  /** Further changes, of fields whose real values are not in `from` and `to`. */
  readonly also?: ReadonlyArray<FieldChange>
  readonly hidden?: ReadonlySet<string>
  readonly create: (made: Made) => Effect.Effect<{ readonly id: string }, StepFailure>
  readonly update: (made: Made, id: string) => Effect.Effect<unknown, StepFailure>
}

export const stepOf = ({ also = [], create, from, hidden = new Set(), to, update, ...thing }: Wanted): Step => {
  const { id } = thing
  const changes = [...fieldChanges(from ?? {}, to), ...also]
  const action = id === null ? "create" : changes.length > 0 ? "update" : "unchanged"
  return {
    ...thing,
    action,
    changes,
    hidden,
    perform: (made) =>
      id === null
        ? Effect.map(create(made), (created) => created.id)
        : action === "update"
        ? Effect.as(update(made, id), id)
        : Effect.succeed(id)
  }
}

/** The failure of a step, naming the thing. Something that is gone has changed since. */
export const failureOf = ({ key, kind }: Step, failure: StepFailure): Exclude<StepFailure, NotFound> => {
  const fields = { ...saidOf(failure), message: `${kind} ${key}: ${failure.message}` }
  switch (failure._tag) {
    case "not_found":
    case "conflict":
      return new Conflict(fields)
    case "forbidden":
      return new Forbidden(fields)
    case "plan_limit":
      return new PlanLimit(fields)
    case "validation_failed":
      return new ValidationFailed({ ...saidOf(failure), message: fields.message })
  }
}

const saidOf = <D>({ details, hint }: { readonly details?: D; readonly hint?: string }) => ({
  ...(hint === undefined ? {} : { hint }),
  ...(details === undefined ? {} : { details })
})
