/** The response times that a page's owner published. The page says which; they are read from rollups, at most every 30 s for each. */
import { Array as Arr, Cache, Data, Duration, Effect, Exit } from "effect"
import { NotFound, Unavailable } from "../../../schema/Errors.ts"
import type { ComponentId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import type { ResponseTimeRange, ResponseTimes } from "../../../schema/page/ResponseTimes.ts"
import { Components } from "../../store/component/Components.ts"
import { Database } from "../../store/postgres/connections/Database.ts"
import { ComponentSeries } from "./ComponentSeries.ts"
import { PublicPages } from "./PublicPages.ts"

class Wanted extends Data.Class<{
  readonly workspaceId: WorkspaceId
  readonly pageId: PageId
  readonly componentId: ComponentId
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
    const pages = yield* PublicPages
    const components = yield* Components
    const series = yield* ComponentSeries
    const { reading } = yield* Database

    const read = Effect.fn("PublicResponseTimes.read")(function*({ componentId, pageId, range, workspaceId }: Wanted) {
      const found = (yield* components.ofPages(workspaceId, [pageId])).find(({ id }) => id === componentId)
      if (found === undefined) return yield* notPublished
      return (yield* series.of({ workspaceId, monitorIds: found.monitorIds }, range)).series
    })

    /** A database that is away shows as such; everything else is a defect. */
    const lookup = (wanted: Wanted): Effect.Effect<ResponseTimes, NotFound | Unavailable> =>
      Effect.mapError(reading(read(wanted)), (error) => error instanceof NotFound ? error : unavailable)

    const cache = yield* Cache.makeWith({
      capacity,
      lookup,
      timeToLive: Exit.match({ onFailure: () => Duration.zero, onSuccess: () => Duration.seconds(30) })
    })

    return {
      /** `component` is an id or a key. Fails with `not_found` unless the page and the component publish their response times. */
      get: Effect.fn("PublicResponseTimes.get")(function*(slug: string, component: string, range: ResponseTimeRange) {
        const { page, components: shown } = (yield* pages.get(slug)).snapshot
        const published = Arr.findFirst(
          shown,
          ({ id, key, responses }) => responses !== null && (id === component || key === component)
        )
        const { id } = yield* Effect.mapError(published, () => notPublished)
        return yield* cache.get(new Wanted({ workspaceId: page.workspaceId, pageId: page.id, componentId: id, range }))
      })
    }
  }),
  dependencies: [ComponentSeries.Default, PublicPages.Default]
}) {}
