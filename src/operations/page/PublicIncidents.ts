/** Reads the incident history of a public page. */
import { type DateTime, Effect, Option } from "effect"
import { NotFound, Unavailable } from "../../../schema/Errors.ts"
import type { IncidentId } from "../../../schema/Ids.ts"
import type { PageIncident } from "../../domain/page/PageIncident.ts"
import { onPage, type Snapshot } from "../../domain/page/snapshot/Snapshot.ts"
import { tiedPage } from "../../domain/tools/TiedPage.ts"
import { PageIncidents } from "../../store/incident/PageIncidents.ts"

interface Period {
  readonly from: DateTime.Utc
  readonly before: DateTime.Utc
  readonly limit: number
}

interface PastIncidents {
  readonly incidents: ReadonlyArray<PageIncident>
  /** The incidents before this time are not in it; null if there are none. */
  readonly next: DateTime.Utc | null
}

export interface IncidentLink {
  readonly id: IncidentId
  readonly changedAt: DateTime.Utc
}

const noIncident = (id: IncidentId) =>
  new NotFound({ message: `This status page has no incident ${id}`, hint: "List its incidents with GET .../incidents" })

const unavailable = new Unavailable({
  message: "The history of this page is temporarily unavailable",
  hint: "Try again in a few seconds"
})

export class PublicIncidents extends Effect.Service<PublicIncidents>()("belltower/PublicIncidents", {
  effect: Effect.gen(function*() {
    const incidents = yield* PageIncidents

    const visibleOn = (snapshot: Snapshot) => onPage(new Set(snapshot.components.map(({ id }) => id)))

    const failing = <A, E>(read: Effect.Effect<A, E>): Effect.Effect<A, Unavailable> =>
      read.pipe(
        Effect.timeout("10 seconds"),
        Effect.tapErrorCause((cause) => Effect.logWarning("Reading the history of a status page failed", cause)),
        Effect.catchAllCause(() => unavailable)
      )

    /** Newest first. Fails with `unavailable`. */
    const between = (snapshot: Snapshot, { before, from, limit }: Period) =>
      failing(Effect.gen(function*() {
        const scope = { workspaceId: snapshot.page.workspaceId, pageId: snapshot.page.id, from }
        const rows = yield* incidents.between({ ...scope, before, limit: limit + 1 })
        const { goesOn, page } = tiedPage(rows, limit, limit + 1, ({ startedAt }) => startedAt.epochMillis)
        const last = page.at(-1)?.startedAt ?? null
        // Incidents that began at the same time may have filled the page.
        const isEnd = !goesOn || last === null ||
          (page.length === rows.length && (yield* incidents.between({ ...scope, before: last, limit: 1 })).length === 0)
        return { incidents: page.flatMap(visibleOn(snapshot)), next: isEnd ? null : last } satisfies PastIncidents
      }))

    /** The newest, newest first. Fails with `unavailable`. */
    const links = (snapshot: Snapshot): Effect.Effect<ReadonlyArray<IncidentLink>, Unavailable> =>
      failing(Effect.map(
        incidents.links({ workspaceId: snapshot.page.workspaceId, pageId: snapshot.page.id }),
        (rows) => rows.flatMap(visibleOn(snapshot))
      ))

    /** With all of its updates, up to the limit of their texts. Fails with `not_found` and `unavailable`. */
    const one = Effect.fn("PublicIncidents.one")(function*(snapshot: Snapshot, id: IncidentId) {
      const { page } = snapshot
      const known = [...snapshot.incidents, ...snapshot.maintenances, ...snapshot.past].find((incident) => incident.id === id)
      if (known !== undefined && !known.isCut) return known
      const found = yield* failing(incidents.one({ workspaceId: page.workspaceId, pageId: page.id, id }))
      const [incident] = Option.match(found, { onNone: () => [], onSome: visibleOn(snapshot) })
      return incident === undefined ? yield* noIncident(id) : incident
    })

    return { between, links, one }
  })
}) {}
