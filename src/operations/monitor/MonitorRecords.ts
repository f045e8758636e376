/** Builds the records of monitors from their rows: secrets as the viewer may see them, uptime, lateness and links. */
import { DateTime, Effect } from "effect"
import { instant } from "../../../schema/Fields.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Monitor } from "../../../schema/monitor/Monitor.ts"
import { overdue, type Punctuality } from "../../domain/monitor/Lateness.ts"
import { outlinedSecrets, shownSecrets, type View } from "../../domain/monitor/MaskedSettings.ts"
import {
  monitorRecord,
  observedSpans,
  type RecordFacts,
  type RecordOf,
  uptimeWindows
} from "../../domain/monitor/MonitorRecord.ts"
import type { Span } from "../../domain/monitor/Uptime.ts"
import { Links } from "../../links/Links.ts"
import { Heartbeats } from "../../store/monitor/Heartbeats.ts"
import type { ListedMonitor } from "../../store/monitor/MonitorPages.ts"
import { Monitors, type MonitorWithState } from "../../store/monitor/Monitors.ts"
import { Spans } from "../../store/monitor/Spans.ts"

/** The longest uptime window of a monitor record, ms. */
const longestWindow = 30 * 86_400_000

/** Where the spans begin that the record of a monitor needs. */
export const spansFrom = (now: number): DateTime.Utc => instant(now - longestWindow)

type Observed = Punctuality & { readonly lastRoundAt: number | null }

const lateOf = <At>(monitor: Punctuality, now: number, write: (at: DateTime.Utc) => At) => {
  const found = overdue(monitor, now)
  return found === null ? null : { expectedAt: write(instant(found.expectedAt)), lateSec: found.lateSec }
}

const uptimeOf = (spans: ReadonlyArray<Span>, monitor: Observed, now: number) =>
  uptimeWindows(observedSpans(spans, monitor, monitor.lastRoundAt, now), now)

/** The parts of a listed record that may be sealed. */
type ListedParts = Pick<RecordFacts<string>, "secrets" | "urls">

export const makeMonitorRecords = Effect.gen(function*() {
  const monitors = yield* Monitors
  const heartbeats = yield* Heartbeats
  const spans = yield* Spans
  const links = yield* Links

  const urlsOf = (view: View, { id, tokenSealed }: Pick<ListedMonitor, "id" | "tokenSealed">) =>
    Effect.map(
      tokenSealed === null || view === "reader" ? Effect.succeed(null) : Effect.map(heartbeats.token(tokenSealed), links.ping),
      (ping) => ({ dashboard: links.monitor(id), ping })
    )

  /** One record, with its headers and body. */
  const full = Effect.fn("MonitorRecords.full")(
    function*(view: View, workspaceId: WorkspaceId, row: MonitorWithState, now: number) {
      const found = yield* Effect.orDie(spans.since(workspaceId, [row.id], spansFrom(now)))
      const observed = { ...row, changedAt: DateTime.toEpochMillis(row.updatedAt) }
      const record: Monitor = monitorRecord(view, row, {
        secrets: shownSecrets(view, yield* monitors.secrets(row)),
        uptime: uptimeOf(found.get(row.id) ?? [], observed, now),
        late: lateOf(observed, now, (at) => at),
        urls: yield* urlsOf(view, row)
      })
      return record
    }
  )

  const outline = ({ hasBody, headerNames }: ListedMonitor) => outlinedSecrets(headerNames, hasBody)

  /** What a list shows of a request; one that an earlier version sealed must be opened for it. */
  const outlineOf = (row: ListedMonitor) =>
    row.sealed === null
      ? Effect.succeed(outline(row))
      : Effect.map(monitors.secrets(row), ({ body, headers }) => outlinedSecrets(Object.keys(headers), body !== null))

  const listedWith = (view: View, row: ListedMonitor, now: number, { secrets, urls }: ListedParts): RecordOf<string> =>
    monitorRecord(view, row, {
      secrets,
      urls,
      uptime: uptimeOf(row.spans, row, now),
      late: lateOf(row, now, DateTime.formatIso)
    })

  /** The records of a list, encoded. Most need nothing that is sealed, and so no effect. */
  const listed = (view: View, rows: ReadonlyArray<ListedMonitor>, now: number): Effect.Effect<ReadonlyArray<RecordOf<string>>> =>
    Effect.gen(function*() {
      const records: Array<RecordOf<string>> = []
      for (const row of rows) {
        const isPlain = row.sealed === null && row.tokenSealed === null
        const parts = isPlain
          ? { secrets: outline(row), urls: { dashboard: links.monitor(row.id), ping: null } }
          : yield* Effect.all({ secrets: outlineOf(row), urls: urlsOf(view, row) })
        records.push(listedWith(view, row, now, parts))
      }
      return records
    })

  return { full, listed }
})
