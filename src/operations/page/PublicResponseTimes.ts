/** The response times that a page's owner published. Read from rollups, and at most every 30 s for each component. */
import { Array as Arr, Cache, Data, Duration, Effect, Exit, Option } from "effect"
import { NotFound, Unavailable } from "../../../schema/Errors.ts"
import type { ResponseTimeRange, ResponseTimes } from "../../../schema/page/ResponseTimes.ts"
import { Components } from "../../store/component/Components.ts"
import { Pages } from "../../store/page/Pages.ts"
import { Database } from "../../store/postgres/connections/Database.ts"
import { ComponentSeries } from "./ComponentSeries.ts"

class Wanted extends Data.Class<{
  readonly slug: string
  readonly component: string
  readonly range: ResponseTimeRange
}> {}

const notPublished = new NotFound({
  message: "No response times are published at this address",
  hint: "The owner publishes them in the settings of the page and of the component"
})

const unavailable = new Unavailable({
  message: "The response times are temporarily unavailable",
  hint: "Try again in a few seconds"
})

const capacity = 1000

export class PublicResponseTimes extends Effect.Service<PublicResponseTimes>()("belltower/PublicResponseTimes", {
  effect: Effect.gen(function*() {
    const pages = yield* Pages
    const components = yield* Components
    const series = yield* ComponentSeries
    const { reading } = yield* Database

    const read = Effect.fn("PublicResponseTimes.read")(function*({ component, range, slug }: Wanted) {
      const found = yield* pages.findPublic(slug)
      if (Option.isNone(found) || !found.value.settings.showResponseTimes) return yield* notPublished
      const { id, workspaceId } = found.value
      const shown = Arr.findFirst(
        yield* components.ofPages(workspaceId, [id]),
        (one) => (one.id === component || one.key === component) && one.showResponseTimes && !one.hidden
      )
      if (Option.isNone(shown) || shown.value.monitorIds.length === 0) return yield* notPublished
      return (yield* series.of({ workspaceId, monitorIds: shown.value.monitorIds }, range)).series
    })

    /** A database that is away shows as such; everything else is a defect. */
    const lookup = (wanted: Wanted): Effect.Effect<ResponseTimes, NotFound | Unavailable> =>
      Effect.mapError(reading(read(wanted)), (error) => error instanceof NotFound ? error : unavailable)

    const cache = yield* Cache.makeWith({
      capacity,
      lookup,
      timeToLive: Exit.match({
        onFailure: () => Duration.seconds(5),
        onSuccess: () => Duration.seconds(30)
      })
    })

    return {
      /** `component` is an id or a key. Fails with `not_found` unless the page and the component publish their response times. */
      get: (slug: string, component: string, range: ResponseTimeRange): Effect.Effect<ResponseTimes, NotFound | Unavailable> =>
        cache.get(new Wanted({ slug, component, range }))
    }
  }),
  dependencies: [ComponentSeries.Default]
}) {}
