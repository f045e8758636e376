/** Lists that an operation takes as a whole: rows that somebody else has added, renamed, moved or removed meanwhile stay so. */
import type { HttpRouter } from "@effect/platform"
import { Effect, Predicate } from "effect"
import { canonicalJson } from "../../domain/tools/json/CanonicalJson.ts"
import type { Arguments } from "../../http/server/InProcessCall.ts"
import type { DashboardApi } from "./DashboardApi.ts"
import type { Refused } from "./Refused.ts"
import type { Visit } from "./Visit.ts"

type Rows = ReadonlyArray<unknown>

interface List {
  readonly argument: string
  readonly read: (
    api: DashboardApi["Type"],
    given: Arguments
  ) => Effect.Effect<Rows, Refused, Visit | HttpRouter.HttpRouter.DefaultServices>
}

/** The argument with the list, and the rows that are there now. */
export const lists: Readonly<Record<string, List>> = {
  set_component_groups: {
    argument: "groups",
    read: (api, { pageId }) => Effect.map(api.read("get_page", { pageId }), ({ groups }) => groups)
  },
  update_workspace: {
    argument: "upstreams",
    read: (api) => Effect.map(api.read("get_workspace"), ({ upstreams }) => upstreams)
  }
}

const keyOf = (row: unknown): string => Predicate.isRecord(row) && typeof row["id"] === "string" ? row["id"] : canonicalJson(row)

export const keysOf = (rows: Rows): ReadonlyArray<string> => rows.map(keyOf)

/** The rows of now with what the form did to those that it `had`: it removed some, moved some among their places, and added some. */
export const mergedRows = (had: ReadonlyArray<string>, given: Rows, now: Rows): Rows => {
  const known = keysOf(given).filter((key) => had.includes(key))
  const left = now.filter((row) => known.includes(keyOf(row)) || !had.includes(keyOf(row)))
  const isMoved = known.join() !== had.filter((key) => known.includes(key)).join()
  const ordered = known.flatMap((key) => left.filter((row) => keyOf(row) === key))
  return [
    ...isMoved ? left.map((row) => known.includes(keyOf(row)) ? ordered.shift() : row) : left,
    ...given.filter((row) => !had.includes(keyOf(row)))
  ]
}
