/** Finds what a component refers to on its page: its monitors, its group and a free key. */
import { Effect } from "effect"
import type { ComponentInput } from "../../../schema/component/Component.ts"
import { Conflict } from "../../../schema/Errors.ts"
import { GroupId, type MonitorId, type PageId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { ComponentSettings } from "../../domain/component/ComponentSettings.ts"
import { firstFree, keyOf } from "../../domain/page/Slug.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { idTime } from "../../domain/tools/Id.ts"
import { unknownMonitor } from "../../domain/UnknownReference.ts"
import type { Components } from "../../store/component/Components.ts"
import { mint } from "../../store/Mint.ts"
import type { Quotas } from "../../store/workspace/Quotas.ts"

const maxKeyLength = 63

/** `kept`: what the component follows already, which may be deleted meanwhile. */
export const requireMonitors = Effect.fn("ComponentReferences.requireMonitors")(
  function*(components: Components, workspaceId: WorkspaceId, ids: ReadonlyArray<MonitorId>, kept: ReadonlyArray<MonitorId>) {
    const own = yield* components.ownMonitors(workspaceId, ids)
    const refusals = ids.flatMap((id, index) =>
      own.has(id) || kept.includes(id) ? [] : [unknownMonitor(`monitorIds.${index}`, id)]
    )
    if (refusals.length > 0) return yield* validationFailure(refusals)
  }
)

/** Fails with `validation_failed` unless the monitor is a manifest monitor of the workspace. */
export const requireManifest = Effect.fn("ComponentReferences.requireManifest")(
  function*(components: Components, workspaceId: WorkspaceId, manifest: ComponentSettings["manifest"]) {
    if (manifest === null) return
    const id = manifest.monitorId
    const kind = (yield* components.ownMonitors(workspaceId, [id])).get(id)
    if (kind === "manifest") return
    return yield* validationFailure([{
      path: "manifest.monitorId",
      message: kind === undefined ? `No monitor ${id} in this workspace` : `The monitor ${id} is of kind ${kind}, not manifest`,
      hint: "Create a monitor with kind manifest and the URL of the status document"
    }])
  }
)

/** The group with this name or id; a new name creates a group at the end of the page. */
export const groupFor = Effect.fn("ComponentReferences.groupFor")(
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
export const claimKey = Effect.fn("ComponentReferences.claimKey")(
  function*(
    components: Components,
    workspaceId: WorkspaceId,
    pageId: PageId,
    { key, name }: Pick<ComponentInput, "key" | "name">
  ) {
    const taken = yield* components.keysOf(workspaceId, pageId)
    if (key === undefined) return firstFree(keyOf(name), taken, maxKeyLength)
    return taken.has(key) ? yield* new Conflict({ message: `The page already has a component with the key ${key}` }) : key
  }
)
