/** A view, a path of the dashboard with its content, and the reads that it is made of. */
import type { HttpRouter } from "@effect/platform"
import { Array, Effect } from "effect"
import type { YieldWrap } from "effect/Utils"
import type { ComponentChildren } from "preact"
import type { Failure } from "../../../schema/Errors.ts"
import type { Arguments } from "../../http/server/InProcessCall.ts"
import type { HeadProps } from "../design/Parts.tsx"
import { DashboardApi, type OperationId } from "./DashboardApi.ts"
import { notHere, type Refused } from "./Refused.ts"
import type { Section } from "./Sections.ts"
import { Visit, type VisitData } from "./Visit.ts"

export interface Shown {
  readonly title: string
  /** The head above the body, which has the view's title unless it gives another. Default: the body has its own. */
  readonly head?: Partial<HeadProps>
  readonly body?: ComponentChildren
  /** Parts under each other; those of a list in it are beside each other. */
  readonly stack?: ReadonlyArray<ComponentChildren>
  /** Parts beside each other; those of a list in it are under each other. */
  readonly split?: ReadonlyArray<ComponentChildren>
  readonly status?: number
  /**
   * The events that change the view, by type or by `prefix.*`, with `:id` only those that name that record; the view is read
   * again when one of them happens. Default: none.
   */
  readonly live?: ReadonlyArray<string>
}

export interface View {
  readonly path: `/app${string}`
  readonly section: Section
  readonly read: Effect.Effect<Shown, Failure | Refused, DashboardApi | Visit | HttpRouter.HttpRouter.DefaultServices>
}

type Step = YieldWrap<Effect.Effect<unknown, Failure | Refused, DashboardApi | Visit | HttpRouter.HttpRouter.DefaultServices>>

/** A visit to a view of a record, whose id is in the path; of no record, the id is empty. */
interface ViewVisit extends VisitData {
  readonly id: string
}

/** `shown` reads and answers the view for a visit. */
export const view = (path: View["path"], section: Section, shown: (visit: ViewVisit) => Generator<Step, Shown, never>): View => ({
  path,
  section,
  read: Effect.flatMap(Visit, (visit) => Effect.gen(() => shown({ ...visit, id: visit.params["id"] ?? "" })))
})

/** One record of a list of all of its kind. Fails with `not_found`. */
export const listed = <One extends { readonly id: string }>(noun: string, all: ReadonlyArray<One>, id: string | undefined) =>
  Effect.mapError(Array.findFirst(all, (one) => one.id === id), () => notHere(noun))

/** Makes reads that do not need each other. */
export const together = <const Reads extends ReadonlyArray<Effect.Effect<unknown, unknown, unknown>>>(reads: Reads) =>
  Effect.all(reads, { concurrency: 4 })

export const read = <Id extends OperationId>(id: Id, given: Arguments = {}) =>
  Effect.flatMap(DashboardApi, (api) => api.read(id, given))

/** Null where the operation refuses with `not_found` or for lack of a role; other refusals remain. */
export const readOrNull = <Id extends OperationId>(id: Id, given: Arguments = {}) =>
  read(id, given).pipe(
    Effect.catchIf(({ status }) => status === 404 || status === 403, () => Effect.succeed(null))
  )
