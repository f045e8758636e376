/**
 * The time since which at least one process has received reports without interruption; earlier reports may have been missed.
 * Uses only the database's clock, because the processes run on several machines.
 */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Schema } from "effect"
import {
  beat,
  begin,
  interrupt,
  type Listened,
  listened,
  type Listeners,
  type ListeningProcess,
  rememberedFor,
  silence
} from "../../domain/monitor/ListeningProcesses.ts"
import { tryOne } from "../postgres/Queries.ts"

/** How often a listening process sends a beat. */
export const listeningBeat = Duration.seconds(3)

/** The records of all processes; times in ms since 1970. */
const Found = Schema.Struct({
  now: Schema.Number,
  listeners: Schema.Array(
    Schema.Struct({ id: Schema.String, began: Schema.Number, since: Schema.Number, beat: Schema.Number })
  )
})

const isSame = (one: ListeningProcess, other: ListeningProcess): boolean =>
  one.id === other.id && one.began === other.began && one.since === other.since && one.beat === other.beat

/** A process that was replaced is silent for `silence` before another one has listened for so long, ms. */
const replacedWithin = 30_000

type Record = (listeners: Listeners, id: string, now: number) => Listeners

export class Listening extends Effect.Service<Listening>()("belltower/Listening", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const millis = (column: string) => sql.literal(`round(extract(epoch from ${column}) * 1000)::float8`)
    const read = tryOne(Found, () =>
      sql`
        select ${millis("statement_timestamp()")} as now, coalesce(json_agg(found), '[]') as listeners
        from (
          select id, ${millis("began_at")} as began, ${millis("since")} as since, ${millis("beat_at")} as beat from listeners
        ) as found`)

    /** Writes only differences: of many processes, a beat changes one. */
    const write = Effect.fnUntraced(function*(before: Listeners, after: Listeners) {
      const kept = new Set(after.map(({ id }) => id))
      const gone = before.filter(({ id }) => !kept.has(id))
      if (gone.length > 0) yield* sql`delete from listeners where id = any(${gone.map(({ id }) => id)}::text[])`
      const changed = after.filter((one) => !before.some((other) => isSame(one, other)))
      yield* sql`
        insert into listeners (id, began_at, since, beat_at)
        select id, to_timestamp(began / 1000), to_timestamp(since / 1000), to_timestamp(beat / 1000)
        from json_to_recordset(${JSON.stringify(changed)}::json) as of_process(id text, began float8, since float8, beat float8)
        on conflict (id) do update set
          began_at = excluded.began_at, since = excluded.since, beat_at = excluded.beat_at`
    })

    /** Processes record one after the other: each reads the rows that the one before it has written. */
    const recording = (record: Record) => (id: string) =>
      sql.withTransaction(Effect.gen(function*() {
        yield* sql`select from listeners order by id for update`
        const { listeners, now } = yield* Effect.flatten(read())
        yield* write(listeners, record(listeners, id, now))
      }))

    const seconds = (ms: number) => sql.literal(`make_interval(secs => ${ms / 1000})`)
    /**
     * Records the time of a beat, if a beat changes nothing else: no other process listens for longer, and none is to be forgotten or
     * has a wrong time. Most beats are this one statement, which waits for no other process. False if nothing was recorded.
     */
    const beatAlone = (id: string) =>
      Effect.map(
        sql`
          update listeners l set beat_at = statement_timestamp()
          where l.id = ${id} and greatest(l.began_at, l.since) <= statement_timestamp()
            and l.beat_at between statement_timestamp() - ${seconds(silence)} and statement_timestamp() + ${seconds(silence)}
            and not exists (
              select from listeners o
              where o.id <> l.id and (
                o.since < l.since or o.began_at > statement_timestamp()
                or o.beat_at not between statement_timestamp() - ${seconds(rememberedFor)}
                                     and statement_timestamp() + ${seconds(silence)}
              )
            )
          returning 1`,
        (rows) => rows.length > 0
      )
    const recordBeat = recording(beat)

    return {
      /**
       * Records that this process begins to receive reports. Until it is known that another process did meanwhile, reports may have
       * been missed, however short the pause was.
       */
      begin: recording(begin),
      /** Records that this process receives reports. */
      beat: (id: string) => Effect.flatMap(beatAlone(id), (isRecorded) => (isRecorded ? Effect.void : recordBeat(id))),
      /** Records that reports were lost until now. */
      interrupted: recording(interrupt),
      /** How many processes listen beside each other, of which none is about to replace another. */
      count: Effect.map(
        sql<{ readonly count: number }>`
          select count(*)::int as count from listeners
          where began_at <= statement_timestamp() - ${seconds(replacedWithin)}
            and beat_at > statement_timestamp() - ${seconds(silence)}`,
        ([row]) => row?.count ?? 0
      ),
      /**
       * Since when no report can have been missed, ms since 1970; `now` (database clock) while no process listens. A missing report
       * from before that time proves nothing. Until `openUntil` the time may still turn out to be later.
       */
      at: (now: DateTime.Utc): Effect.Effect<Listened> =>
        Effect.map(Effect.orDie(Effect.flatten(read())), ({ listeners }) => listened(listeners, DateTime.toEpochMillis(now)))
    }
  })
}) {}
