/** Claims of mails: urgent ones first, fair between workspaces, bounded by what they take, and safe beside each other. */
import { SqlClient } from "@effect/sql"
import { assert, expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { type MailPriority, mailSlots, priorityNumber } from "../../../src/domain/mail/MailSlots.ts"
import { type HeldMail, MailQueue } from "../../../src/store/mail/MailQueue.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"

const ground = MailQueue.Default.pipe(Layer.provideMerge(DatabaseClock.Default), Layer.provideMerge(TestDatabase))

const empty = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`truncate workspaces cascade`)

/** Workspaces `w00001` and so on. */
const workspaces = (count: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`
      insert into workspaces (id, name, plan, created_at, updated_at)
      select 'w' || lpad(n::text, 5, '0'), 'Test', 'self_hosted', now(), now() from generate_series(1, ${count}::int) n
      on conflict do nothing`)

interface Waiting {
  readonly priority: MailPriority
  readonly each: number
  readonly from?: number
  readonly to?: number
  readonly attempts?: number
}

let made = 0

/** Due mails of workspaces `from` to `to`; without them, mails of no workspace. */
const wait = ({ attempts = 0, each, from, priority, to = from }: Waiting) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const now = DateTime.toDateUtc(yield* Effect.flatMap(DatabaseClock, (clock) => clock.now))
    if (to !== undefined) yield* workspaces(to)
    made += 1
    yield* sql`
      insert into mails (id, workspace_id, priority, recipient, subject, sealed, status, attempts, ready, due_at, created_at)
      select ${`mail_${made}_`} || w || '_' || n, case when w > 0 then 'w' || lpad(w::text, 5, '0') end,
             ${priorityNumber[priority]}, 'ada@example.com', 'Test', 'x', 'due', ${attempts}, ${attempts === 0},
             ${now}::timestamptz - interval '1 minute' + n * interval '1 millisecond', ${now}
      from generate_series(${from ?? 0}::int, ${to ?? 0}::int) w, generate_series(1, ${each}::int) n`
  })

const now = Effect.flatMap(DatabaseClock, (clock) => clock.now)

const claim = (held: ReadonlyArray<MailPriority> = []) =>
  Effect.gen(function*() {
    const queue = yield* MailQueue
    return yield* queue.claim(yield* now, held)
  })

const send = (mails: ReadonlyArray<HeldMail>) =>
  Effect.gen(function*() {
    const queue = yield* MailQueue
    const at = yield* now
    yield* Effect.forEach(mails, (mail) => queue.settle(mail, { _tag: "Sent" }, at), { discard: true })
  })

/** The workspaces whose mails these are. */
const ownersOf = (mails: ReadonlyArray<HeldMail>) => mails.map(({ id }) => Number(id.split("_")[2]))

const countOf = <A>(values: ReadonlyArray<A>) => {
  const counts = new Map<A, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/** Rows that a claim reads, and entries of indexes. */
const cost = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const read = Effect.gen(function*() {
    yield* sql`select pg_stat_clear_snapshot()`
    const [row] = yield* sql<{ readonly rows: number }>`
      select (select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) from pg_stat_xact_user_tables where relname = 'mails')::int
               as rows`
    return row?.rows ?? 0
  })
  return yield* sql.withTransaction(Effect.gen(function*() {
    const before = yield* read
    const taken = yield* claim()
    return { rows: (yield* read) - before, taken: taken.length }
  }))
})

layer(ground, { excludeTestServices: true })("a claim of mails", (it) => {
  it.effect("takes a page that was queued last, beside 20,000 mails of a follower's news and 5,000 of others", () =>
    Effect.gen(function*() {
      yield* empty
      yield* wait({ priority: "bulk", each: 20_000 })
      yield* wait({ priority: "standard", each: 1, from: 1, to: 5000 })
      yield* wait({ priority: "urgent", each: 1, from: 7 })
      const taken = yield* claim()
      expect([taken[0]?.priority, ownersOf(taken)[0]]).toEqual(["urgent", 7])
    }))

  it.effect("never lets mails that can wait hold all slots, nor pages", () =>
    Effect.gen(function*() {
      yield* empty
      yield* wait({ priority: "bulk", each: 100 })
      yield* wait({ priority: "standard", each: 100, from: 1 })
      const slow = yield* claim()
      const held = slow.map(({ priority }) => priority)
      expect(slow.length).toBe(mailSlots / 2)
      expect((yield* claim(held)).length).toBe(0)
      yield* wait({ priority: "urgent", each: 100, from: 2 })
      const pages = yield* claim(held)
      expect([pages.length, countOf(pages.map(({ priority }) => priority)).get("urgent")]).toEqual([5, 5])
      yield* empty
      yield* wait({ priority: "urgent", each: 100, from: 2 })
      yield* wait({ priority: "standard", each: 1, from: 1 })
      yield* wait({ priority: "bulk", each: 1 })
      expect(countOf((yield* claim()).map(({ priority }) => priority))).toEqual(
        new Map([["urgent", 8], ["standard", 1], ["bulk", 1]])
      )
    }))

  it.effect("gives workspaces equal shares of one priority, however many mails each has waiting", () =>
    Effect.gen(function*() {
      yield* empty
      yield* wait({ priority: "urgent", each: 20_000, from: 1 })
      yield* wait({ priority: "urgent", each: 30, from: 2, to: 3 })
      yield* wait({ priority: "urgent", each: 30 })
      const served: Array<number> = []
      for (let round = 0; round < 10; round++) {
        const taken = yield* claim()
        served.push(...ownersOf(taken))
        yield* send(taken)
      }
      expect(countOf(served)).toEqual(new Map([[1, 20], [2, 20], [3, 20], [0, 20]]))
    }))

  it.effect("gives every workspace a turn before any has a second one", () =>
    Effect.gen(function*() {
      yield* empty
      yield* wait({ priority: "urgent", each: 50, from: 1, to: 100 })
      const served: Array<number> = []
      while (served.length < 100) {
        const taken = yield* claim(["urgent", "urgent", "urgent", "urgent"])
        served.push(...ownersOf(taken))
        yield* send(taken)
      }
      expect(new Set(served).size).toBe(100)
    }))

  it.effect("takes the retries that are due in their turn: those of one workspace delay no other's", () =>
    Effect.gen(function*() {
      yield* empty
      yield* wait({ priority: "urgent", each: 90, from: 1, attempts: 3 })
      yield* wait({ priority: "urgent", each: 1, from: 2, to: 3, attempts: 1 })
      expect(new Set(ownersOf(yield* claim()))).toEqual(new Set([1, 2, 3]))
    }))

  it.effect("reads as few rows beside 100,000 waiting mails as beside 40, before any statistics are collected", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`alter table mails set (autovacuum_enabled = off)`
      const of = (each: number, owners: number, later: number) =>
        Effect.gen(function*() {
          yield* empty
          yield* wait({ priority: "bulk", each })
          yield* wait({ priority: "urgent", each: 2, from: 1, to: owners })
          yield* wait({ priority: "standard", each: later, from: 1, attempts: 1 })
          yield* sql`update mails set due_at = due_at + interval '1 hour' where priority = 1`
          return yield* cost
        })
      const few = yield* of(20, 10, 10)
      const many = yield* of(60_000, 10_000, 20_000)
      expect(few.taken).toBe(9)
      expect(many.taken).toBe(few.taken)
      expect(many.rows).toBeLessThanOrEqual(few.rows + 20)
      expect(many.rows).toBeLessThan(100)
    }))

  it.effect("of several workers side by side never takes a mail twice, and misses none", () =>
    Effect.gen(function*() {
      yield* empty
      yield* wait({ priority: "urgent", each: 4, from: 1, to: 40 })
      yield* wait({ priority: "bulk", each: 40, attempts: 1 })
      const taken: Array<string> = []
      const worker = claim().pipe(
        Effect.tap((mails) => Effect.sync(() => taken.push(...mails.map(({ id }) => id)))),
        Effect.flatMap(send),
        Effect.repeat({ until: () => taken.length >= 200 })
      )
      yield* Effect.all([worker, worker, worker, worker], { concurrency: 4, discard: true })
      expect([taken.length, new Set(taken).size]).toEqual([200, 200])
    }))

  it.effect("finds a mail that was given back, and one that a wrong clock put off", () =>
    Effect.gen(function*() {
      yield* empty
      const sql = yield* SqlClient.SqlClient
      const queue = yield* MailQueue
      yield* wait({ priority: "bulk", each: 1 })
      yield* queue.release(yield* claim(), yield* now)
      const [again] = yield* claim()
      expect(again?.attempts).toBe(0)
      yield* sql`update mails set due_at = now() + interval '30 days'`
      expect(yield* claim()).toEqual([])
      yield* queue.recall(yield* now)
      expect((yield* claim()).map(({ id }) => id)).toEqual([again?.id])
    }))

  it.effect("that ends is written with the page that it was, and only by who holds it", () =>
    Effect.gen(function*() {
      yield* empty
      const sql = yield* SqlClient.SqlClient
      const queue = yield* MailQueue
      yield* wait({ priority: "urgent", each: 1, from: 1 })
      const [mail] = yield* claim()
      assert(mail !== undefined)
      yield* sql`
        insert into incidents (id, workspace_id, kind, title, status, impact, public, automatic, page_ids, components, started_at,
                               updated_at)
        values ('inc_1', 'w00001', 'incident', 'Slow', 'investigating', 'major', false, false, '{}', '[]', now(), now())`
      yield* sql`
        insert into pagings (id, workspace_id, incident_id, user_id, level, round, step, urgency, kind, label, due_at, state, mail_id,
                             created_at)
        values ('pgn_1', 'w00001', 'inc_1', 'usr_1', 1, 1, 1, 'high', 'email', 'ada', now(), 'sending', ${mail.id}, now())`
      const states = sql`select p.state, m.status from pagings p join mails m on m.id = p.mail_id`
      const fail = (held: HeldMail) => Effect.flatMap(now, (at) => queue.settle(held, { _tag: "Dead", error: "550 No" }, at))

      // Its lease was over, and another process sends it.
      yield* fail({ ...mail, heldUntil: DateTime.subtract(mail.heldUntil, { minutes: 1 }) })
      expect(yield* states).toEqual([{ state: "sending", status: "due" }])

      yield* sql`create function refuse() returns trigger language plpgsql as 'begin raise exception ''No''; end'`
      yield* sql`create trigger refuse before update on pagings for each row execute function refuse()`
      yield* Effect.exit(fail(mail))
      expect(yield* states).toEqual([{ state: "sending", status: "due" }])

      yield* sql`drop trigger refuse on pagings`
      yield* fail(mail)
      expect(yield* states).toEqual([{ state: "failed", status: "dead" }])
      expect(yield* sql`select id from alarms where kind = 'incident' and due_at <= now()`).toEqual([{ id: "inc_1" }])
    }))
})
