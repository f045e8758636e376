/** The checks of monitors, wherever they are kept: the newest are rows, the others are in blocks, and the evidence is apart. */
import { SqlClient } from "@effect/sql"
import { Array as Arr, Clock, DateTime, Effect, Option } from "effect"
import type { Check, Evidence, Outcome } from "../../../schema/check/Check.ts"
import { instant } from "../../../schema/Fields.ts"
import { CheckId, type MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import { statsOf } from "../../domain/check/history/CheckTally.ts"
import { newestFirst, type StoredCheck } from "../../domain/check/history/StoredCheck.ts"
import { tiedPage } from "../../domain/tools/TiedPage.ts"
import { exists } from "../postgres/Queries.ts"
import { both, mapRead, run } from "../postgres/Read.ts"
import { CheckBlocks, type CheckFilter } from "./CheckBlocks.ts"
import { CheckEvidence } from "./CheckEvidence.ts"
import { CheckRollups } from "./CheckRollups.ts"
import { CheckRows } from "./CheckRows.ts"

/** A page with evidence holds fewer checks if their evidence takes more than this together, bytes. */
const mostEvidence = 2 * 1024 * 1024

/** Checks of one time that a page holds beyond its limit: a monitor has at most 10 regions, and jobs may ping within a millisecond. */
const mostTied = 30

/** Blocks of one read of a period. */
const mostBlocks = 500

interface ListOptions {
  readonly outcome: Outcome | null
  readonly before: DateTime.Utc | null
  /** Nothing older is looked for. Default: all that is kept. */
  readonly since?: DateTime.Utc | null
  readonly limit: number
}

interface PageOptions extends ListOptions {
  readonly evidence: boolean
}

const checkOf = ({ at, omitted, ...check }: StoredCheck, monitorId: MonitorId, evidence: Evidence | null): Check => ({
  ...check,
  monitorId,
  at: instant(at),
  evidence,
  evidenceOmitted: omitted === null
    ? null
    : omitted === "quota"
    ? { reason: "quota", checkId: null }
    : { reason: "repeats", checkId: CheckId.make(omitted) }
})

const millisOf = (at: DateTime.Utc | null): number | null => (at === null ? null : DateTime.toEpochMillis(at))

/** A check that became part of a block between two queries is in the answers of both. */
const distinct = (checks: ReadonlyArray<StoredCheck>): Array<StoredCheck> => [
  ...new Map(checks.map((check) => [check.id, check])).values()
]

/** The checks of a page until their evidence exceeds its bound, with all of the last one's time; at least one. */
const fitting = (checks: ReadonlyArray<StoredCheck>, sizes: ReadonlyMap<CheckId, number>): ReadonlyArray<StoredCheck> => {
  let before = 0
  let last: number | null = null
  return checks.filter(({ at, id }) => {
    const fits = before < mostEvidence || at === last
    before += sizes.get(id) ?? 0
    if (fits) last = at
    return fits
  })
}

export class Checks extends Effect.Service<Checks>()("belltower/Checks", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* CheckRows
    const blocks = yield* CheckBlocks
    const rollups = yield* CheckRollups
    const kept = yield* CheckEvidence

    /** Rows before blocks: what moves in between is then seen twice, never missed. Reads on back to `since` (ms) at most. */
    const readNewest = (workspaceId: WorkspaceId, monitorId: MonitorId, filter: CheckFilter, now: number) =>
      mapRead(
        both(rows.readNewest(workspaceId, monitorId, filter), blocks.readNewest(workspaceId, monitorId, filter, now)),
        ([fresh, more]) => (since: number) =>
          Effect.map(more(since), (older) => distinct([...fresh, ...older]).sort(newestFirst).slice(0, filter.limit))
      )

    const newest = (workspaceId: WorkspaceId, monitorId: MonitorId, filter: CheckFilter) =>
      Effect.flatMap(
        Clock.currentTimeMillis,
        (now) => Effect.flatMap(run(readNewest(workspaceId, monitorId, filter, now)), (goOn) => goOn(0))
      )

    const withEvidence = Effect.fn("Checks.withEvidence")(
      function*(workspaceId: WorkspaceId, monitorId: MonitorId, checks: ReadonlyArray<StoredCheck>) {
        const some = checks.filter(({ hasEvidence }) => hasEvidence)
        const sizes = some.length === 0 ? [] : yield* kept.sizes(workspaceId, some)
        const page = fitting(checks, new Map(sizes.map(({ id, octets }) => [id, octets])))
        const wanted = page.filter(({ hasEvidence }) => hasEvidence)
        const evidence = wanted.length === 0 ? new Map<CheckId, Evidence>() : yield* kept.read(workspaceId, wanted)
        return page.map((check) => checkOf(check, monitorId, evidence.get(check.id) ?? null))
      }
    )

    const isMonitor = (workspaceId: WorkspaceId, monitorId: MonitorId) =>
      exists(sql`select 1 from monitors where workspace_id = ${workspaceId} and id = ${monitorId}`)

    /** One check with its evidence. A row may become part of a block between the two looks, never the other way. */
    const find = Effect.fn("Checks.find")(function*(workspaceId: WorkspaceId, id: CheckId) {
      const fresh = yield* rows.find(workspaceId, id)
      const found = Option.isSome(fresh) ? fresh : yield* blocks.find(workspaceId, id)
      if (Option.isNone(found) || !(yield* isMonitor(workspaceId, found.value.monitorId))) return Option.none<Check>()
      const { check, monitorId } = found.value
      return Option.fromNullable((yield* withEvidence(workspaceId, monitorId, [check]))[0])
    })

    return {
      /** Inserts a batch in one statement. Existing checks are not changed. */
      insert: rows.insert,
      append: rows.append,
      /**
       * A page of the checks before a time, newest first, with whether others follow: those before the time of its last check. So it
       * contains all checks of that time, up to 30 beyond `limit`. With evidence, it may have fewer than `limit` although others follow.
       */
      page: Effect.fn("Checks.page")(
        function*(
          workspaceId: WorkspaceId,
          monitorId: MonitorId,
          { before, evidence, limit, outcome, since = null }: PageOptions
        ) {
          const most = limit + mostTied
          const found = yield* newest(workspaceId, monitorId, {
            outcome,
            limit: most,
            before: millisOf(before),
            since: millisOf(since)
          })
          const { goesOn, page } = tiedPage(found, limit, most, ({ at }) => at)
          const checks = evidence
            ? yield* withEvidence(workspaceId, monitorId, page)
            : page.map((check) => checkOf(check, monitorId, null))
          return { checks, goesOn: goesOn || checks.length < page.length }
        }
      ),
      /** The newest before a time, newest first, without evidence. */
      list: (workspaceId: WorkspaceId, monitorId: MonitorId, { before, limit, outcome, since = null }: ListOptions) =>
        Effect.map(
          newest(workspaceId, monitorId, { outcome, limit, before: millisOf(before), since: millisOf(since) }),
          Arr.map((check) => checkOf(check, monitorId, null))
        ),
      /** The newest, without evidence. The answer reads on where the first blocks do not suffice. */
      readNewest: (workspaceId: WorkspaceId, monitorId: MonitorId, limit: number, now: number) =>
        mapRead(
          readNewest(workspaceId, monitorId, { outcome: null, before: null, limit }, now),
          (goOn) => (since: DateTime.Utc) =>
            Effect.map(goOn(DateTime.toEpochMillis(since)), Arr.map((check) => checkOf(check, monitorId, null)))
        ),
      find,
      /**
       * The newest of these checks whose evidence was kept, with it; else the newest; null without checks. A repeated failure names the
       * check that has its evidence.
       */
      explaining: Effect.fn("Checks.explaining")(function*(workspaceId: WorkspaceId, found: ReadonlyArray<Check>) {
        const [first] = found
        if (first === undefined) return null
        const kept = found.find(({ hasEvidence }) => hasEvidence)?.id ?? first.evidenceOmitted?.checkId ?? first.id
        return Option.getOrElse(yield* find(workspaceId, kept), () => first)
      }),
      /** The checks of a period (ms since 1970, the end excluded), oldest first. Meant for short periods: all are in memory. */
      between: (workspaceId: WorkspaceId, monitorId: MonitorId, from: number, to: number) =>
        Effect.zipWith(
          rows.between(workspaceId, monitorId, from, to),
          blocks.between(workspaceId, monitorId, from, to, mostBlocks),
          (fresh, older) => distinct([...fresh, ...older]).sort((one, other) => newestFirst(other, one))
        ),
      /** Latencies (ms) of the counted checks that were not down, and the number of counted checks, in half hours since `since`. */
      readStats: (workspaceId: WorkspaceId, monitorId: MonitorId, since: DateTime.Utc) =>
        mapRead(rollups.readTotal(workspaceId, monitorId, DateTime.toEpochMillis(since)), statsOf)
    }
  }),
  dependencies: [CheckRows.Default, CheckBlocks.Default, CheckRollups.Default, CheckEvidence.Default]
}) {}
