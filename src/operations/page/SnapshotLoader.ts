/** Reads the rows of a page's snapshot. */
import { DateTime, Effect, Option } from "effect"
import { instant } from "../../../schema/Fields.ts"
import { daysOf, historyDays, snapshotSteps, windowOf } from "../../domain/page/Snapshot.ts"
import { overTurns } from "../../loops/OverTurns.ts"
import { Components } from "../../store/component/Components.ts"
import { ComponentSpans } from "../../store/component/ComponentSpans.ts"
import { PageIncidents } from "../../store/incident/PageIncidents.ts"
import { Spans } from "../../store/monitor/Spans.ts"
import { Pages } from "../../store/page/Pages.ts"

export class SnapshotLoader extends Effect.Service<SnapshotLoader>()("belltower/SnapshotLoader", {
  effect: Effect.gen(function*() {
    const pages = yield* Pages
    const components = yield* Components
    const spans = yield* Spans
    const componentSpans = yield* ComponentSpans
    const incidents = yield* PageIncidents

    /** The snapshot of a public page; none if the page does not exist. Fails if the database is unavailable. */
    const load = Effect.fn("SnapshotLoader.load")(function*(slug: string) {
      const found = yield* pages.findVisible(slug)
      if (Option.isNone(found)) return Option.none()
      const page = found.value
      const now = yield* DateTime.now
      const [groups, all, published] = yield* Effect.all([
        components.groupsOf(page.workspaceId, [page.id]),
        components.ofPages(page.workspaceId, [page.id]),
        incidents.since(page.workspaceId, page.id, DateTime.subtract(now, { days: historyDays }))
      ], { concurrency: "unbounded" })
      const measured = all.filter(({ hidden, showUptime }) => showUptime && !hidden)
      const window = windowOf(daysOf(page, now), now)
      const monitorIds = [...new Set(measured.flatMap((one) => one.monitorIds))]
      const history = yield* spans.observed(page.workspaceId, monitorIds, instant(window.from), window.to)
      const pushedIds = measured.flatMap(({ id, push }) => push ? [id] : [])
      const pushed = yield* componentSpans.since(page.workspaceId, pushedIds, instant(window.from))
      const rows = { page, groups, components: all, spans: history, pushed, incidents: published }
      return Option.some(yield* overTurns(snapshotSteps(rows, now)))
    })

    return { load }
  })
}) {}
