/** Results of pages: copied from the results of their deliveries and mails, and what services say later. */
import { SqlClient } from "@effect/sql"
import { Array, DateTime, Duration, Effect, Option, Schema } from "effect"
import { type EventId, IncidentId, type MailId, type PagingId, WorkspaceId } from "../../../schema/Ids.ts"
import { notNeeded } from "../../domain/paging/PersonalSteps.ts"
import { Alarms } from "../Alarms.ts"
import { findAll } from "../postgres/Queries.ts"
import { inTransaction } from "../postgres/Transaction.ts"

/** A delivery to a contact way that has ended. */
export interface EndedPage {
  readonly workspaceId: WorkspaceId
  readonly eventId: EventId
  readonly wayId: string
  /** Null for a page that was handed over. */
  readonly error: string | null
  readonly reference: string | null
}

/**
 * What a service says about a page that it took. `handed_over`: it has it, which its answer may not have said; `received`: by the
 * person's device, or answered by the person.
 */
export interface Receipt {
  readonly state: "handed_over" | "received" | "failed"
  /** Why it failed. */
  readonly error: string | null
}

/** If a process dies between the result of a page and its row, the incident's actor looks all the same, so much later. */
const lookAnyway = Duration.seconds(30)

const isFailed = ({ error }: EndedPage): boolean => error !== null && error !== notNeeded

const Failed = Schema.Struct({ workspaceId: WorkspaceId, incidentId: IncidentId, state: Schema.String })

export class PagingResults extends Effect.Service<PagingResults>()("belltower/PagingResults", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const alarms = yield* Alarms
    const changed = sql.literal(`p.workspace_id as "workspaceId", p.incident_id as "incidentId", p.state`)

    const endEach = findAll(Failed, (pages: ReadonlyArray<EndedPage>, at: Date) =>
      sql`
      update pagings p
      set state = case when r.error is null then 'handed_over' when r.error = ${notNeeded} then 'not_needed' else 'failed' end,
          error = r.error, reference = coalesce(r.reference, p.reference),
          handed_over_at = case when r.error is null then ${at}::timestamptz end
      from unnest(${pages.map(({ workspaceId }) => workspaceId)}::text[], ${pages.map(({ eventId }) => eventId)}::text[],
                  ${pages.map(({ wayId }) => wayId)}::text[], ${pages.map(({ error }) => error)}::text[],
                  ${pages.map(({ reference }) => reference)}::text[])
        as r (workspace_id, event_id, way_id, error, reference)
      where p.workspace_id = r.workspace_id and p.event_id = r.event_id and p.way_id = r.way_id and p.state = 'sending'
      returning ${changed}`)

    const endMail = findAll(Failed, (id: MailId, error: string | null, at: Date) =>
      sql`
      update pagings p
      set state = ${error === null ? "handed_over" : "failed"}, error = ${error},
          handed_over_at = ${error === null ? at : null}
      where p.mail_id = ${id} and p.state = 'sending' returning ${changed}`)

    const note = findAll(Failed, (id: PagingId, { error, state }: Receipt, at: Date) =>
      sql`
      update pagings p
      set state = ${state}, error = ${error}, handed_over_at = coalesce(p.handed_over_at, ${at}),
          received_at = case when ${state} = 'received' then ${at}::timestamptz end
      where p.id = ${id} and (p.state in ('sending', 'handed_over') or (p.state = 'failed' and ${state} = 'received'))
      returning ${changed}`)

    /** A page that failed brings the next one forward: the actors of their incidents look at it now. */
    const wakeFor = Effect.fnUntraced(function*(rows: ReadonlyArray<typeof Failed.Type>, at: DateTime.Utc) {
      const failed = rows.filter(({ state }) => state === "failed")
      if (failed.length === 0) return
      const actors = Array.dedupeWith(failed, (one, other) => one.incidentId === other.incidentId)
      yield* alarms.armAll("incident", actors.map(({ incidentId, workspaceId }) => ({ id: incidentId, workspaceId })), at)
    })

    const ofPages = findAll(Failed, (pages: ReadonlyArray<EndedPage>) =>
      sql`
      select distinct ${changed} from pagings p
      join unnest(${pages.map(({ workspaceId }) => workspaceId)}::text[], ${pages.map(({ eventId }) => eventId)}::text[])
        as r (workspace_id, event_id) on p.workspace_id = r.workspace_id and p.event_id = r.event_id
      where p.state = 'sending'`)

    return {
      /** Before the results of deliveries are written. */
      ending: Effect.fn("PagingResults.ending")(function*(pages: ReadonlyArray<EndedPage>, at: DateTime.Utc) {
        const failed = pages.filter(isFailed)
        if (failed.length === 0) return
        const dueAt = DateTime.addDuration(at, lookAnyway)
        const actors = (yield* ofPages(failed)).map(({ incidentId, workspaceId }) => ({ id: incidentId, workspaceId, dueAt }))
        yield* alarms.armBy("incident", actors)
      }),
      /** After the results of deliveries were written. If the process dies before, the log reads them from the deliveries. */
      ended: Effect.fn("PagingResults.ended")(function*(pages: ReadonlyArray<EndedPage>, at: DateTime.Utc) {
        if (pages.length > 0) yield* wakeFor(yield* endEach(pages, DateTime.toDateUtc(at)), at)
      }, inTransaction(sql)),
      mailEnded: Effect.fn("PagingResults.mailEnded")(function*(id: MailId, error: string | null, at: DateTime.Utc) {
        yield* wakeFor(yield* endMail(id, error, DateTime.toDateUtc(at)), at)
      }, inTransaction(sql)),
      /**
       * Notes what a service says about a page, perhaps before the answer to its own request was read. The caller has checked that the
       * service says so. Returns the incident and its workspace; none if the page has ended otherwise or does not exist.
       */
      receive: Effect.fn("PagingResults.receive")(function*(id: PagingId, receipt: Receipt, at: DateTime.Utc) {
        const rows = yield* note(id, receipt, DateTime.toDateUtc(at))
        yield* wakeFor(rows, at)
        return Option.fromNullable(rows[0])
      }, inTransaction(sql))
    }
  }),
  dependencies: [Alarms.Default]
}) {}
