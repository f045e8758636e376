/** Creates components on status pages. */
import { SqlClient } from "@effect/sql"
import { Effect, Either, Option } from "effect"
import type { ComponentInput } from "../../../schema/component/Component.ts"
import { Conflict } from "../../../schema/Errors.ts"
import { ComponentId, GroupId, type MonitorId, type PageId, type WorkspaceId } from "../../../schema/Ids.ts"
import { settleComponent } from "../../domain/component/ComponentSettings.ts"
import { idTime } from "../../domain/Id.ts"
import { firstFree, keyOf } from "../../domain/page/Slug.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { Components } from "../../store/component/Components.ts"
import { mint } from "../../store/Mint.ts"
import { Pages } from "../../store/page/Pages.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { noPage, requirePage } from "../page/RequirePage.ts"
import { ComponentRecords } from "./ComponentRecords.ts"

const maxKeyLength = 63

const requireMonitors = Effect.fn("ManageComponents.requireMonitors")(
  function*(components: Components, workspaceId: WorkspaceId, ids: ReadonlyArray<MonitorId>) {
    const own = yield* components.ownMonitors(workspaceId, ids)
    const refusals = ids.flatMap((id, index) =>
      own.has(id) ? [] : [{ path: `monitorIds.${index}`, message: `No monitor ${id} in this workspace` }]
    )
    if (refusals.length > 0) return yield* validationFailure(refusals)
  }
)

/** The group with this name or id; a new name creates a group at the end of the page. */
const groupFor = Effect.fn("ManageComponents.groupFor")(
  function*(components: Components, quotas: Quotas, workspaceId: WorkspaceId, pageId: PageId, group: string) {
    const groups = yield* Effect.orDie(components.groupsOf(workspaceId, [pageId]))
    const wanted = group.toLowerCase()
    const found = groups.find(({ id, name }) => id === group || name.toLowerCase() === wanted)
    if (found !== undefined) return found.id
    if (group.startsWith("grp_") && idTime(group) !== null) {
      return yield* validationFailure([{
        path: "group",
        message: "No such group on this page",
        hint: "To create a group, send its name instead of an id"
      }])
    }
    yield* quotas.takeCapped(workspaceId, { groups: 1 }, pageId)
    const id = yield* mint("grp", GroupId)
    yield* components.insertGroup(workspaceId, pageId, { id, name: group }, groups.length)
    return id
  }
)

/** The given key, which must be unused on the page, or an unused one generated from the name. */
const claimKey = Effect.fn("ManageComponents.claimKey")(
  function*(components: Components, workspaceId: WorkspaceId, pageId: PageId, { key, name }: ComponentInput) {
    const taken = yield* components.keysOf(workspaceId, pageId)
    if (key === undefined) return firstFree(keyOf(name), taken, maxKeyLength)
    return taken.has(key) ? yield* new Conflict({ message: `The page already has a component with the key ${key}` }) : key
  }
)

export class ManageComponents extends Effect.Service<ManageComponents>()("belltower/ManageComponents", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const pages = yield* Pages
    const components = yield* Components
    const quotas = yield* Quotas
    const records = yield* ComponentRecords

    /**
     * Creates a component at the end of the page, or at `order`. Fails with `not_found` if the page does not exist, with
     * `conflict` if the key is taken, and with `validation_failed` for an invalid source, such as a monitor of another workspace.
     */
    const create = Effect.fn("ManageComponents.create")(
      function*(workspaceId: WorkspaceId, pageIdOrSlug: string, input: ComponentInput) {
        const { id: pageId } = yield* requirePage(pages, workspaceId, pageIdOrSlug)
        const settings = yield* Either.mapLeft(settleComponent(input), validationFailure)
        yield* quotas.takeCapped(workspaceId, { components: 1 }, pageId)
        const locked = yield* components.lockPage(workspaceId, pageId)
        if (Option.isNone(locked)) return yield* noPage(pageIdOrSlug)
        yield* requireMonitors(components, workspaceId, settings.monitorIds)
        const key = yield* claimKey(components, workspaceId, pageId, input)
        const group = input.group?.trim() ?? ""
        const place = {
          workspaceId,
          pageId,
          key,
          group: group === "" ? null : yield* groupFor(components, quotas, workspaceId, pageId, group),
          order: input.order ?? null
        }
        const stored = yield* components.insert(yield* mint("cmp", ComponentId), input.name, settings, place)
        yield* pages.changed(locked.value.slug)
        return yield* records.of(stored)
      },
      sql.withTransaction,
      Effect.catchTag("SqlError", Effect.die)
    )

    return { create }
  }),
  dependencies: [ComponentRecords.Default]
}) {}
