/** Builds component records as their workspace sees them, including the push URL. */
import { Clock, Effect } from "effect"
import type { Component } from "../../../schema/component/Component.ts"
import type { MonitorId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { Links } from "../../links/Links.ts"
import { forEachOverTurns } from "../../loops/OverTurns.ts"
import { type StoredComponent, viewOf } from "../../store/component/ComponentRows.ts"
import { Components } from "../../store/component/Components.ts"

/** Records made in one turn of the event loop: about 2 ms. A page may have 500 components. */
const perTurn = 50

export class ComponentRecords extends Effect.Service<ComponentRecords>()("belltower/ComponentRecords", {
  effect: Effect.gen(function*() {
    const components = yield* Components
    const links = yield* Links

    const of = (stored: StoredComponent): Effect.Effect<Component> =>
      Effect.zipWith(Clock.currentTimeMillis, components.pushToken(stored), (now, token) => ({
        ...viewOf(stored, now),
        pushUrl: token === null ? null : links.push(token)
      }))

    return {
      of,
      /** The components of pages, or of them those that some monitors feed, in the order of their pages. */
      ofPages: (
        workspaceId: WorkspaceId,
        pageIds: ReadonlyArray<PageId>,
        monitorIds: ReadonlyArray<MonitorId> | null
      ): Effect.Effect<ReadonlyArray<Component>> =>
        Effect.flatMap(components.stored(workspaceId, pageIds, monitorIds), (rows) => forEachOverTurns(rows, perTurn, of))
    }
  })
}) {}
