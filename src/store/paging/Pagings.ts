/** The log of pages: one row for each page to one person by one way, planned, then tried. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import {
  type DeliveryId,
  type EventId,
  IncidentId,
  type MailId,
  PagingId,
  UserId,
  WayId,
  type WorkspaceId
} from "../../../schema/Ids.ts"
import { PagingState, Urgency, WayKind } from "../../../schema/oncall/Way.ts"
import { capturedNotSent } from "../../domain/alert/DeliveryVerdict.ts"
import { handOverLevel, type PlannedPage } from "../../domain/paging/PersonalSteps.ts"
import { mint } from "../Mint.ts"
import { findAll, findOne, write } from "../postgres/Queries.ts"

const PagingRow = Schema.Struct({
  id: PagingId,
  incidentId: IncidentId,
  userId: UserId,
  name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  level: Schema.Int,
  round: Schema.Int,
  step: Schema.Int,
  urgency: Urgency,
  by: WayKind,
  wayId: Schema.NullOr(WayId),
  label: Schema.String,
  dueAt: Schema.DateTimeUtcFromDate,
  state: PagingState,
  error: Schema.NullOr(Schema.String),
  followed: Schema.Boolean,
  /** Its mail was stored, not sent. */
  captured: Schema.Boolean,
  handedOverAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  receivedAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type PagingRow = typeof PagingRow.Type

/**
 * The state of a page that is being sent is that of its delivery or mail, which the row takes over once that has ended. A failed mail or
 * delivery that a process died over is seen here all the same.
 */
const columns = `
  p.id, p.incident_id as "incidentId", p.user_id as "userId", u.name, coalesce(u.shown_email, u.email) as email, p.level, p.round, p.step, p.urgency, p.kind as by,
  p.way_id as "wayId", p.label, p.due_at as "dueAt", p.followed, p.received_at as "receivedAt",
  case when p.state <> 'sending' then p.state
       when d.status = 'delivered' or m.status = 'sent' then 'handed_over'
       when d.status = 'dead' or m.status in ('dead', 'captured') then 'failed'
       else 'sending' end as state,
  coalesce(p.error, d.last_error, m.last_error, case when m.status = 'captured' then '${capturedNotSent}' end) as error,
  coalesce(m.status = 'captured', false) as captured,
  coalesce(p.handed_over_at, case when d.status = 'delivered' then d.finished_at end,
           case when m.status = 'sent' then m.finished_at end) as "handedOverAt"`

const joins = `
  from pagings p
  left join users u on u.id = p.user_id
  left join deliveries d on p.state = 'sending' and d.event_id = p.event_id and d.channel_id = p.way_id
  left join mails m on p.state = 'sending' and m.id = p.mail_id`

/** A page on its way. */
export interface PageDelivery {
  readonly id: DeliveryId
  readonly eventId: EventId
  readonly begun: number
}

export interface NewPagings {
  readonly workspaceId: WorkspaceId
  readonly incidentId: IncidentId
  readonly userId: UserId
  readonly level: number
  readonly round: number
  readonly urgency: Urgency
}

const dates = (times: ReadonlyArray<DateTime.Utc>): ReadonlyArray<Date> => times.map(DateTime.toDateUtc)

const makeWrites = (sql: SqlClient.SqlClient) => ({
  /**
   * Plans the pages to a person. Those to the same person that are planned still are not needed any more: nobody gets two lists of pages
   * about one incident.
   */
  plan: Effect.fn("Pagings.plan")(function*(page: NewPagings, pages: ReadonlyArray<PlannedPage>, now: DateTime.Utc) {
    const { incidentId, level, round, urgency, userId, workspaceId } = page
    yield* sql`
      update pagings set state = 'not_needed'
      where workspace_id = ${workspaceId} and incident_id = ${incidentId} and user_id = ${userId} and state = 'planned'`
    const ids = yield* Effect.forEach(pages, () => mint("pgn", PagingId))
    yield* sql`
      insert into pagings (id, workspace_id, incident_id, user_id, level, round, step, urgency, kind, way_id, label, due_at, created_at)
      select id, ${workspaceId}, ${incidentId}, ${userId}, ${level}, ${round}, step, ${urgency}, kind, way_id, label, due_at,
             ${DateTime.toDateUtc(now)}
      from unnest(${ids}::text[], ${pages.map(({ step }) => step)}::int[], ${pages.map(({ way }) => way.kind)}::text[],
                  ${pages.map(({ way }) => way.id)}::text[], ${pages.map(({ way }) => way.label)}::text[],
                  ${dates(pages.map(({ dueAt }) => dueAt))}::timestamptz[]) as page (id, step, kind, way_id, label, due_at)`
  }, Effect.orDie),
  /** The page is on its way: by a mail, or by the delivery that its event becomes. */
  mailed: (workspaceId: WorkspaceId, id: PagingId, mailId: MailId) =>
    write(sql`
      update pagings set state = 'sending', mail_id = ${mailId} where workspace_id = ${workspaceId} and id = ${id}`),
  recorded: (workspaceId: WorkspaceId, sent: ReadonlyArray<{ readonly id: PagingId; readonly eventId: EventId }>) =>
    sent.length === 0 ? Effect.void : write(sql`
      update pagings p set state = 'sending', event_id = sent.event_id
      from unnest(${sent.map(({ id }) => id)}::text[], ${sent.map(({ eventId }) => eventId)}::text[]) as sent (id, event_id)
      where p.workspace_id = ${workspaceId} and p.id = sent.id`),
  /** Ends pages that nobody needs any more, or that cannot be tried. */
  end: (workspaceId: WorkspaceId, ids: ReadonlyArray<PagingId>, state: "not_needed" | "failed", error: string | null) =>
    ids.length === 0 ? Effect.void : write(sql`
      update pagings set state = ${state}, error = ${error}
      where workspace_id = ${workspaceId} and id = any(${ids}::text[]) and state = 'planned'`),
  /** Ends the pages of a policy's levels that are planned. */
  endLevels: (workspaceId: WorkspaceId, id: IncidentId) =>
    write(sql`
      update pagings set state = 'not_needed'
      where workspace_id = ${workspaceId} and incident_id = ${id} and level <> ${handOverLevel} and state = 'planned'`),
  bringForward: (workspaceId: WorkspaceId, ids: ReadonlyArray<PagingId>, now: DateTime.Utc) =>
    ids.length === 0 ? Effect.void : write(sql`
      update pagings set due_at = ${DateTime.toDateUtc(now)}
      where workspace_id = ${workspaceId} and id = any(${ids}::text[]) and state = 'planned' and due_at > ${
      DateTime.toDateUtc(now)
    }`),
  follow: (workspaceId: WorkspaceId, ids: ReadonlyArray<PagingId>) =>
    ids.length === 0 ? Effect.void : write(sql`
      update pagings set followed = true where workspace_id = ${workspaceId} and id = any(${ids}::text[])`)
})

export class Pagings extends Effect.Service<Pagings>()("belltower/Pagings", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const startAttempt = findOne(
      Schema.Struct({ start: Schema.Literal("begun", "taken", "unwanted", "overtaken") }),
      (workspaceId: WorkspaceId, id: DeliveryId, eventId: EventId, begun: number) =>
        sql`
        with page as materialized (
          select p.state in ('handed_over', 'received') as taken,
                 i.resolved_at is null and i.acknowledgement is null as wanted
          from pagings p join incidents i on i.id = p.incident_id and i.workspace_id = p.workspace_id
          where p.event_id = ${eventId} and p.workspace_id = ${workspaceId}
        ), started as (
          update deliveries d set begun = d.begun + 1 from page
          where page.wanted and not page.taken
            and d.workspace_id = ${workspaceId} and d.id = ${id} and d.status = 'due' and d.begun = ${begun}
          returning 1
        )
        select case when not wanted then 'unwanted' when taken then 'taken'
                    when exists (select from started) then 'begun' else 'overtaken' end as start
        from page`
    )
    return {
      ...makeWrites(sql),
      /** The pages of an incident in the order of their times, by index; levels, rounds and people bound their number. */
      ofIncident: findAll(PagingRow, (workspaceId: WorkspaceId, incidentId: IncidentId) =>
        sql`
        select ${sql.literal(columns)} ${sql.literal(joins)}
        where p.workspace_id = ${workspaceId} and p.incident_id = ${incidentId} order by p.due_at, p.step, p.id`),
      /**
       * Begins an attempt at the page of a delivery, whose count its claim has read: of two processes that hold it, because a lease ran
       * out, one begins. `unwanted`: its incident has ended or is acknowledged. `taken`: the service has said already that it has the
       * page, to a process that died before it wrote the answer.
       */
      begin: (workspaceId: WorkspaceId, { begun, eventId, id }: PageDelivery) =>
        Effect.map(
          startAttempt(workspaceId, id, eventId, begun),
          Option.match({ onNone: () => "unwanted" as const, onSome: ({ start }) => start })
        )
    }
  })
}) {}
