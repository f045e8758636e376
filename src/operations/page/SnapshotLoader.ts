/** Reads the rows of a page's snapshot. */
import { DateTime, Effect, Option } from "effect"
import { instant } from "../../../schema/Fields.ts"
import type { ComponentView } from "../../domain/component/ComponentStatus.ts"
import type { SettledPage } from "../../domain/page/PageDefaults.ts"
import { daysOf, historyDays, isRecorded, snapshotSteps, windowOf } from "../../domain/page/snapshot/Snapshot.ts"
import { overTurns } from "../../loops/OverTurns.ts"
import { Components } from "../../store/component/Components.ts"
import { ComponentSpans } from "../../store/component/ComponentSpans.ts"
import { PageIncidents } from "../../store/incident/PageIncidents.ts"
import { Spans } from "../../store/monitor/Spans.ts"
import { Pages } from "../../store/page/Pages.ts"
import { Database } from "../../store/postgres/connections/Database.ts"
import { ComponentSeries } from "./ComponentSeries.ts"

/** A page shows charts of this many components; each is a query. */
const mostCharts = 50

export class SnapshotLoader extends Effect.Service<SnapshotLoader>()("belltower/SnapshotLoader", {
  effect: Effect.gen(function*() {
    const pages = yield* Pages
    const components = yield* Components
    const spans = yield* Spans
    const componentSpans = yield* ComponentSpans
    const incidents = yield* PageIncidents
    const series = yield* ComponentSeries
    const { reading } = yield* Database

    /** The last 24 hours of the components whose response times the owner published. */
    const charts = Effect.fn("SnapshotLoader.charts")(function*(page: SettledPage, components: ReadonlyArray<ComponentView>) {
      if (!page.settings.showResponseTimes) return new Map()
      const published = components.filter((one) => one.showResponseTimes && !one.hidden && one.monitorIds.length > 0)
      const { workspaceId } = page
      const read = yield* Effect.forEach(
        published.slice(0, mostCharts),
        ({ id, monitorIds }) => Effect.map(series.of({ workspaceId, monitorIds }, "24h"), (measured) => [id, measured] as const),
        { concurrency: 4 }
      )
      return new Map(read)
    })

    const load = Effect.fn("SnapshotLoader.load")(function*(slug: string) {
      const found = yield* pages.findAt(slug)
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
      const recordedIds = measured.filter(isRecorded).map(({ id }) => id)
      const recorded = yield* componentSpans.since(page.workspaceId, recordedIds, instant(window.from))
      const windows = yield* incidents.windows(page.workspaceId, page.id, instant(window.from), now)
      const responses = yield* charts(page, all)
      const rows = { page, groups, components: all, spans: history, recorded, incidents: published, windows, responses }
      return Option.some(yield* overTurns(snapshotSteps(rows, now)))
    })

    return {
      /** The snapshot of a page, also of a private one; none if the page does not exist. Fails if the database is unavailable. */
      load: (slug: string) => reading(load(slug))
    }
  }),
  dependencies: [ComponentSeries.Default]
}) {}
