/** Creates a service in one call: a monitor, the page that shows it, and the component that follows the monitor. */
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import type { ServiceInput } from "../../../schema/api/Agents.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { idTime } from "../../domain/Id.ts"
import { maskUrls } from "../../domain/secret/UrlSecrets.ts"
import { Pages } from "../../store/page/Pages.ts"
import { ManageComponents } from "../component/ManageComponents.ts"
import { ManagePages } from "../page/ManagePages.ts"
import { requirePage } from "../page/RequirePage.ts"
import { ManageMonitors } from "./ManageMonitors.ts"

/** Truncates to the maximum length of a component's name without splitting a surrogate pair. */
const shortened = (name: string) => name.slice(0, 100).replace(/[\ud800-\udbff]$/, "")

export class CreateService extends Effect.Service<CreateService>()("belltower/CreateService", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const stored = yield* Pages
    const monitors = yield* ManageMonitors
    const pages = yield* ManagePages
    const components = yield* ManageComponents

    /** Finds a page by id, slug or name; creates it under that name if none matches. Fails with `not_found` for an unknown id. */
    const pageFor = Effect.fn("CreateService.pageFor")(function*(workspaceId: WorkspaceId, wanted: string) {
      if (wanted.startsWith("pg_") && idTime(wanted) !== null) return yield* requirePage(stored, workspaceId, wanted)
      const found = yield* Effect.flatMap(
        stored.find(workspaceId, wanted),
        Option.match({ onNone: () => stored.findByName(workspaceId, wanted), onSome: Effect.succeedSome })
      )
      return Option.isSome(found) ? found.value : yield* pages.create(workspaceId, { name: wanted })
    })

    /** Creates everything in one transaction. */
    const create = Effect.fn("CreateService.create")(
      function*(workspaceId: WorkspaceId, { componentName, group, statusPage, ...monitorInput }: typeof ServiceInput.Type) {
        const monitor = yield* monitors.create(workspaceId, monitorInput)
        if (statusPage === undefined || statusPage.trim() === "") return { monitor }
        const { id } = yield* pageFor(workspaceId, statusPage.trim())
        const component = yield* components.create(workspaceId, id, {
          name: componentName ?? shortened(maskUrls(monitor.name)),
          monitorIds: [monitor.id],
          ...(group === undefined ? {} : { group })
        })
        return { monitor, page: yield* pages.record(workspaceId, id), component }
      },
      sql.withTransaction,
      Effect.catchTag("SqlError", Effect.die)
    )

    return { create }
  }),
  dependencies: [ManageMonitors.Default, ManagePages.Default, ManageComponents.Default]
}) {}
