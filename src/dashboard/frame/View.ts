/** A view: a path of the dashboard and its content. */
import type { HttpRouter } from "@effect/platform"
import type { Effect } from "effect"
import type { ComponentChildren } from "preact"
import type { Failure } from "../../../schema/Errors.ts"
import type { DashboardApi } from "./DashboardApi.ts"
import type { Refused } from "./Refused.ts"
import type { Visit } from "./Visit.ts"

export interface Shown {
  readonly title: string
  readonly body: ComponentChildren
  readonly status?: number
  /**
   * The events that change the view, by type or by `prefix.*`, with `:id` only those that name that record; the view is read
   * again when one of them happens. Default: none.
   */
  readonly live?: ReadonlyArray<string>
}

export interface View {
  readonly path: `/app${string}`
  /** The entry of the navigation that the view belongs to. */
  readonly place: Place
  readonly read: Effect.Effect<Shown, Failure | Refused, DashboardApi | Visit | HttpRouter.HttpRouter.DefaultServices>
}

/** The entries of the navigation. */
export type Place =
  | "overview"
  | "monitors"
  | "incidents"
  | "maintenance"
  | "pages"
  | "channels"
  | "deliveries"
  | "escalation"
  | "on-call"
  | "providers"
  | "upstreams"
  | "members"
  | "keys"
  | "audit"
  | "usage"
  | "import"
  | "plan"
  | "digest"
  | "account"

export const view = (path: View["path"], place: Place, read: View["read"]): View => ({ path, place, read })
