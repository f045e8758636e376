/** Reads the log of pages. */
import { Effect, Option } from "effect"
import type { IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Paging } from "../../../schema/oncall/Way.ts"
import { isOver } from "../../domain/incident/IncidentMachine.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { type PagingRow, Pagings } from "../../store/paging/Pagings.ts"
import { noSuch } from "../NoSuch.ts"

/** A page that is planned is not needed once the incident is over. While it is acknowledged, it waits. */
const pagingOf = ({ captured: _, followed: __, name, userId, ...row }: PagingRow, isEnded: boolean): Paging => ({
  ...row,
  user: { id: userId, name },
  state: isEnded && row.state === "planned" ? "not_needed" : row.state
})

export class ReadPagings extends Effect.Service<ReadPagings>()("belltower/ReadPagings", {
  effect: Effect.gen(function*() {
    const incidents = yield* Incidents
    const pagings = yield* Pagings

    /** By their time. Fails with `not_found`. */
    const ofIncident = Effect.fn("ReadPagings.ofIncident")(function*(workspaceId: WorkspaceId, id: IncidentId) {
      const found = yield* incidents.peek(workspaceId, id)
      if (Option.isNone(found)) return yield* noSuch("incident", id)
      const rows = yield* pagings.ofIncident(workspaceId, id)
      return rows.map((row) => pagingOf(row, isOver(found.value.status)))
    })

    return { ofIncident }
  })
}) {}
