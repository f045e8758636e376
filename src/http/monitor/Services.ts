/** A service in one call: a monitor, the page it is to show on, and the component that follows it. */
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import type { ServiceInput } from "../../../schema/api/Agents.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { idTime } from "../../domain/Id.ts"
import { ManageMonitors } from "../../operations/monitor/ManageMonitors.ts"
import { Components } from "../../store/component/Components.ts"
import { Pages } from "../../store/page/Pages.ts"
import { getPage, requirePage } from "../page/Pages.ts"

/** A page by id, slug or name; made by that name when there is none. An id names nothing else, so a wrong one is refused. */
const pageFor = Effect.fn("Services.pageFor")(function*(workspaceId: WorkspaceId, wanted: string) {
  if (wanted.startsWith("pg_") && idTime(wanted) !== null) return yield* requirePage(workspaceId, wanted)
  const pages = yield* Pages
  const found = yield* pages.find(workspaceId, wanted)
  if (Option.isSome(found)) return found.value
  const named = yield* pages.findByName(workspaceId, wanted)
  return Option.isSome(named) ? named.value : yield* pages.create(workspaceId, { name: wanted })
})

/** As long as a component's name may be, without half of a character at its end. */
const shortened = (name: string) => name.slice(0, 100).replace(/[\ud800-\udbff]$/, "")

/** Creates all of it or nothing. */
export const createService = Effect.fn("Services.create")(function*(workspaceId: WorkspaceId, input: typeof ServiceInput.Type) {
  const { componentName, group, statusPage, ...monitorInput } = input
  const sql = yield* SqlClient.SqlClient
  const manage = yield* ManageMonitors
  return yield* sql.withTransaction(Effect.gen(function*() {
    const monitor = yield* manage.create(workspaceId, monitorInput)
    if (statusPage === undefined || statusPage.trim() === "") return { monitor }
    const page = yield* pageFor(workspaceId, statusPage.trim())
    const component = yield* Effect.flatMap(Components, (components) =>
      components.create(workspaceId, page.id, {
        name: componentName ?? shortened(monitor.name),
        monitorIds: [monitor.id],
        ...(group === undefined ? {} : { group })
      }))
    return { monitor, page: yield* getPage(workspaceId, page.id), component }
  }))
}, Effect.catchTag("SqlError", Effect.die))
