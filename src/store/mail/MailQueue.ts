/** The mails that are due: who is next, and what became of those that a worker holds for an attempt. */
import { SqlClient, type Statement } from "@effect/sql"
import { DateTime, Duration, Effect, Schema } from "effect"
import { MailId } from "../../../schema/Ids.ts"
import { longestWait } from "../../domain/alert/RetrySchedule.ts"
import { inFlight, mailPriorities, type MailPriority, priorityNumber, roomFor } from "../../domain/mail/MailSlots.ts"
import { PagingResults } from "../paging/PagingResults.ts"
import { onlyInIndexOrder } from "../postgres/IndexOrder.ts"
import { earliestOf, findAll } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { inTransaction } from "../postgres/Transaction.ts"

/** Notified on every commit that makes a mail due. */
export const mailsSignal = "belltower_mails"

/** How long a mail is held for one attempt. After that, another worker takes it over. */
const lease = Duration.minutes(2)

/** Mails of one priority whose retry is due that a claim puts among the ready ones. */
const mostPromoted = 100

const Priority = Schema.transformLiterals(
  [priorityNumber.urgent, "urgent"],
  [priorityNumber.standard, "standard"],
  [priorityNumber.bulk, "bulk"]
)

/** A mail held for one attempt. Until `heldUntil` no other worker takes it, and only its holder writes the result. */
const HeldMail = Schema.Struct({
  id: MailId,
  priority: Priority,
  recipient: Schema.String,
  subject: Schema.String,
  sealed: Schema.NullOr(Schema.String),
  attempts: Schema.Int,
  expiresAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  createdAt: Schema.DateTimeUtcFromDate,
  heldUntil: Schema.DateTimeUtcFromDate
})
export type HeldMail = typeof HeldMail.Type

export type MailOutcome =
  | { readonly _tag: "Sent" }
  | { readonly _tag: "Again"; readonly at: DateTime.Utc; readonly error: string }
  | { readonly _tag: "Dead"; readonly error: string }

/** An owner's turn, in order, with a mail unless another worker was quicker. */
const Turn = Schema.Struct({ owner: Schema.String, id: Schema.NullOr(MailId) })

const date = DateTime.toDateUtc

/** Each statement reads by index, and only the rows it takes. */
const makeSteps = (sql: SqlClient.SqlClient) => {
  /** Mails that concern only a person have one owner together. An expression of `mails_ready_idx`. */
  const owner = sql.literal(`coalesce(workspace_id, '-')`)

  const ready = (priority: number) => sql`status = 'due' and ready and priority = ${priority}`

  /** The owner whose turn comes after another's: the next one by id that has ready mails, or the first. */
  const nextOwner = (priority: number, after: Statement.Fragment) =>
    sql`coalesce(
      (select ${owner} from mails where ${ready(priority)} and ${owner} > ${after} order by ${owner} limit 1),
      (select ${owner} from mails where ${ready(priority)} order by ${owner} limit 1))`

  return {
    promote: (now: DateTime.Utc) =>
      sql`
      update mails m set ready = true
      from unnest(${mailPriorities.map((one) => priorityNumber[one])}::smallint[]) as each (priority)
      cross join lateral (
        select id from mails where status = 'due' and not ready and priority = each.priority and due_at <= ${date(now)}
        order by due_at limit ${mostPromoted} for update skip locked
      ) later
      where m.id = later.id`,
    /** Locks ready mails: an equal share of each owner that has a turn, the longest due first. Skips mails that others have locked. */
    visit: findAll(
      Turn,
      (priority: number, after: string, limit: number, now: Date) =>
        sql`
        with recursive turns as (
          select first.owner, first.owner as began, 1 as ordinal
          from (select ${nextOwner(priority, sql`${after}`)} as owner) first where first.owner is not null
          union all
          select next.owner, turns.began, turns.ordinal + 1
          from turns cross join lateral (select ${nextOwner(priority, sql`turns.owner`)} as owner) next
          where turns.ordinal < ${limit} and next.owner <> turns.began
        ), shared as (
          select owner, ordinal, greatest(1, ${limit} / (select count(*) from turns)) as share from turns
        )
        select shared.owner, locked.id
        from shared left join lateral (
          select id, due_at from mails
          where ${ready(priority)} and ${owner} = shared.owner and due_at <= ${now}
          order by due_at limit shared.share for update skip locked
        ) locked on true
        order by shared.ordinal, locked.due_at`
    ),
    hold: findAll(HeldMail, (ids: ReadonlyArray<MailId>, until: DateTime.Utc) =>
      sql`
        update mails set due_at = ${DateTime.toDateUtc(until)} where id = any(${ids}::text[])
        returning id, priority, recipient, subject, sealed, attempts, expires_at as "expiresAt", created_at as "createdAt",
                  due_at as "heldUntil"`)
  }
}

const makeClaim = (sql: SqlClient.SqlClient) => {
  const steps = makeSteps(sql)
  /** The owner of the last turn. In memory, because every owner has a turn in each round, wherever it begins. */
  const lastTurns: Record<MailPriority, string> = { urgent: "", standard: "", bulk: "" }

  const take = Effect.fnUntraced(function*(priority: MailPriority, now: DateTime.Utc, room: number) {
    const taken: Array<HeldMail> = []
    while (taken.length < room) {
      const turns = yield* steps.visit(priorityNumber[priority], lastTurns[priority], room - taken.length, date(now))
      const ids = turns.flatMap(({ id }) => (id === null ? [] : [id]))
      lastTurns[priority] = turns.at(-1)?.owner ?? lastTurns[priority]
      if (ids.length === 0) break
      taken.push(...yield* steps.hold(ids, DateTime.addDuration(now, lease)))
    }
    return taken
  })

  return Effect.fn("MailQueue.claim")(function*(now: DateTime.Utc, held: Iterable<MailPriority>) {
    yield* onlyInIndexOrder(sql)
    yield* steps.promote(now)
    const taken: Array<HeldMail> = []
    const before = [...held]
    for (const priority of mailPriorities) {
      const room = roomFor(priority, inFlight([...before, ...taken.map((mail) => mail.priority)]))
      if (room > 0) taken.push(...yield* take(priority, now, room))
    }
    return taken
  }, inTransaction(sql))
}

export class MailQueue extends Effect.Service<MailQueue>()("belltower/MailQueue", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const pagings = yield* PagingResults
    const isHeld = ({ heldUntil, id }: HeldMail) => sql`id = ${id} and status = 'due' and due_at = ${date(heldUntil)}`

    return {
      /**
       * Claims due mails as far as there are slots beside the mails in flight: urgent ones first, and of one priority, one of each
       * workspace in turn. Waits for nobody, and costs the same however many mails wait.
       */
      claim: makeClaim(sql),
      /** The first time after `now` at which a mail is due. */
      nextDueAt: (now: DateTime.Utc) =>
        earliestOf(sql`select min(due_at) as at from mails where status = 'due' and due_at > ${date(now)}`),
      /** Makes mails due now whose time is so far ahead that only a wrong clock can have set it. */
      recall: Effect.fn("MailQueue.recall")(function*(now: DateTime.Utc) {
        const tooFar = DateTime.addDuration(now, Duration.sum(longestWait, Duration.hours(1)))
        yield* sql`update mails set due_at = ${date(now)} where status = 'due' and due_at > ${date(tooFar)}`
      }, Effect.orDie),
      /** Writes the result of an attempt. Erases the content of a mail that was sent or given up. */
      settle: Effect.fn("MailQueue.settle")(
        function*(mail: HeldMail, outcome: MailOutcome, at: DateTime.Utc) {
          if (outcome._tag === "Again") {
            return yield* sql`
            update mails
            set attempts = attempts + 1, last_error = ${outcome.error}, due_at = ${date(outcome.at)}
            where ${isHeld(mail)}`
          }
          // A message that has arrived must not be sent again, even if another process holds it now.
          const which = outcome._tag === "Sent" ? sql`id = ${mail.id} and status = 'due'` : isHeld(mail)
          const error = outcome._tag === "Sent" ? null : outcome.error
          const written = sql`
          update mails
          set status = ${outcome._tag === "Sent" ? "sent" : "dead"}, attempts = attempts + 1, sealed = null,
              last_error = ${error}, finished_at = ${date(at)}
          where ${which} returning 1`
          // With the page that an urgent one is, if it is one: its failure brings the next page forward.
          return yield* mail.priority === "urgent"
            ? sql.withTransaction(
              Effect.tap(written, (rows) => rows.length === 0 ? Effect.void : pagings.mailEnded(mail.id, error, at))
            )
            : written
        },
        Effect.asVoid,
        Effect.orDie
      ),
      /** Holds mails for another lease; returns it. */
      renew: Effect.fn("MailQueue.renew")(function*(held: ReadonlyArray<HeldMail>, now: DateTime.Utc) {
        const until = DateTime.addDuration(now, lease)
        yield* Effect.forEach(held, (mail) => sql`update mails set due_at = ${date(until)} where ${isHeld(mail)}`, {
          discard: true
        })
        return until
      }, Effect.orDie),
      /** Gives mails back without an attempt. They are due immediately. */
      release: Effect.fn("MailQueue.release")(function*(held: ReadonlyArray<HeldMail>, now: DateTime.Utc) {
        const dueAt = date(now)
        yield* Effect.forEach(held, (mail) => sql`update mails set due_at = ${dueAt} where ${isHeld(mail)}`, { discard: true })
        yield* signals.send(mailsSignal)
      }, Effect.orDie)
    }
  }),
  dependencies: [PagingResults.Default]
}) {}
