/** Reads an agent's setup in a workspace that its owner is about to claim, with the access of a reader. */
import { Effect, Schema, Struct } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { Monitor } from "../../../schema/monitor/Monitor.ts"
import type { Viewer } from "../../domain/access/WritingUrls.ts"
import { AuditTrail } from "../../operations/access/AuditTrail.ts"
import { ManageChannels } from "../../operations/alert/ManageChannels.ts"
import { ReadMonitors } from "../../operations/monitor/ReadMonitors.ts"
import { ManagePages } from "../../operations/page/ManagePages.ts"

/** Rows of each list: enough to recognize the work, few enough for one page. */
const shown = 8

/** No secret and no address that accepts writes: the reader has the link, but is no member yet. */
const readerOf = (workspaceId: WorkspaceId): Viewer => ({ workspaceId, scopes: ["read"], operations: null })

const unfiltered = { state: null, kind: null, tag: null, region: null, search: null, trend: false, tags: false, after: "" }

const decodeMonitors = Schema.decode(
  Schema.parseJson(Schema.Array(Schema.Struct(Struct.pick(Monitor.fields, "id", "lastCheck", "name", "state"))))
)

export const readSetup = Effect.fn("ReadSetup.read")(function*(workspaceId: WorkspaceId) {
  const viewer = readerOf(workspaceId)
  const [monitors, pages, channels, log] = yield* Effect.all([
    Effect.flatMap(ReadMonitors, ({ list }) => list(viewer, { ...unfiltered, sort: "created", counts: true, limit: shown })),
    Effect.flatMap(ManagePages, ({ list }) => list(viewer, { limit: shown })),
    Effect.flatMap(ManageChannels, ({ list }) => list(workspaceId)),
    // Without a cursor, the call cannot fail.
    Effect.flatMap(
      AuditTrail,
      ({ list }) =>
        Effect.orDie(list(workspaceId, { ...{ before: null, actor: null, operation: null, from: null, to: null }, limit: shown }))
    )
  ])
  const counts = Object.values(monitors.counts ?? {})
  return {
    monitors: {
      count: counts.reduce((sum, count) => sum + count, 0),
      first: yield* Effect.orDie(decodeMonitors(new TextDecoder().decode(monitors.data)))
    },
    pages: { more: pages.next !== null, first: pages.data.map(({ components, name, url }) => ({ components, name, url })) },
    channels: { count: channels.length, first: channels.slice(0, shown).map(({ name, type }) => ({ name, type })) },
    changes: { more: log.next !== null, newest: log.data.map(({ at, id, operation }) => ({ at, id, operation })) }
  }
})

export type Setup = Effect.Effect.Success<ReturnType<typeof readSetup>>
