/** Builds the records of monitors from their rows: secrets as the viewer may see them, uptime, lateness and links. */
import { DateTime, Effect } from "effect"
import { instant } from "../../../schema/Fields.ts"
import type { MonitorId } from "../../../schema/Ids.ts"
import type { Monitor } from "../../../schema/monitor/Monitor.ts"
import { nextExpected } from "../../domain/monitor/job/ExpectedPing.ts"
import { overdue, type Punctuality } from "../../domain/monitor/Lateness.ts"
import { observedUntil } from "../../domain/monitor/MonitorMachine.ts"
import { monitorRecord, type MonitorSource, type RecordFacts } from "../../domain/monitor/MonitorRecord.ts"
import { monitorRecordText } from "../../domain/monitor/MonitorRecordText.ts"
import { outlinedSecrets, shownSecrets, type View } from "../../domain/monitor/settings/MaskedSettings.ts"
import type { MonitorSettings } from "../../domain/monitor/settings/MonitorSettings.ts"
import { uptimeWindows } from "../../domain/monitor/SpanTotals.ts"
import { type LinkMaker, Links } from "../../links/Links.ts"
import { Heartbeats } from "../../store/monitor/Heartbeats.ts"
import type { ListedMonitor } from "../../store/monitor/MonitorPages.ts"
import { Monitors } from "../../store/monitor/Monitors.ts"
import type { ShownMonitor } from "../../store/monitor/ShownMonitor.ts"

type Observed = Punctuality & { readonly lastRoundAt: number | null }

const lateOf = <At>(monitor: Punctuality, now: number, write: (at: DateTime.Utc) => At) => {
  const found = overdue(monitor, now)
  return found === null ? null : { expectedAt: write(instant(found.expectedAt)), lateSec: found.lateSec }
}

const nextOf = <At>(
  { awaits, paused }: Pick<ShownMonitor, "awaits" | "paused">,
  now: number,
  write: (at: DateTime.Utc) => At
): At | null => {
  const at = awaits === null || paused ? null : nextExpected(awaits, awaits, now)
  return at === null ? null : write(instant(at))
}

const uptimeOf = (row: Observed & Pick<ShownMonitor, "spans" | "maintenance">, now: number) =>
  uptimeWindows(row.spans, row.maintenance, observedUntil(row.lastRoundAt, row, now), now)

const timeOf = (text: string): DateTime.Utc => DateTime.unsafeMake(text)

const withInstants = (row: ShownMonitor): MonitorSource<DateTime.Utc> => ({
  ...row,
  stateSince: timeOf(row.stateSince),
  lastCheck: row.lastCheck === null ? null : { ...row.lastCheck, at: timeOf(row.lastCheck.at) },
  createdAt: timeOf(row.createdAt),
  updatedAt: timeOf(row.updatedAt)
})

/** The parts of a listed record that are written apart. */
type ListedParts = Pick<RecordFacts<string>, "secrets" | "urls">

/** The record of a monitor that was created at `createdAt` and has no ping URL. */
const recordOfNew = (
  links: LinkMaker,
  id: MonitorId,
  settings: MonitorSettings,
  createdAt: DateTime.Utc,
  muted: Monitor["muted"]
): Monitor => {
  const state = settings.paused ? "paused" : "pending"
  const now = createdAt.epochMillis
  const span = [state, now, null, 0, 0] as const
  return monitorRecord("writer", {
    ...settings,
    id,
    kind: settings.target.kind,
    state,
    stateSince: createdAt,
    lastCheck: null,
    openIncidentId: null,
    createdAt,
    updatedAt: createdAt
  }, {
    secrets: shownSecrets("writer", settings.secrets),
    uptime: uptimeWindows([span, span, span, span], null, now, now),
    late: null,
    nextExpectedAt: null,
    muted,
    urls: { dashboard: links.monitor(id), ping: null }
  })
}

export const makeMonitorRecords = Effect.gen(function*() {
  const monitors = yield* Monitors
  const heartbeats = yield* Heartbeats
  const links = yield* Links

  const urlsOf = (view: View, { id, tokenSealed }: Pick<ShownMonitor, "id" | "tokenSealed">) =>
    Effect.map(
      tokenSealed === null || view === "reader"
        ? Effect.succeed(null)
        : Effect.map(heartbeats.token(id, tokenSealed), links.ping),
      (ping) => ({ dashboard: links.monitor(id), ping })
    )

  /** One record, with its request secrets. */
  const full = (view: View, row: ShownMonitor, now: number): Effect.Effect<Monitor> =>
    Effect.flatMap(
      monitors.secrets(row),
      (secrets) =>
        Effect.map(urlsOf(view, row), (urls) =>
          monitorRecord(view, withInstants(row), {
            secrets: shownSecrets(view, secrets),
            uptime: uptimeOf(row, now),
            late: lateOf(row, now, (at) => at),
            nextExpectedAt: nextOf(row, now, (at) => at),
            muted: row.muted === null ? null : { ...row.muted, until: timeOf(row.muted.until) },
            urls
          }))
    )

  const listedWith = (view: View, { facts, stored }: ListedMonitor, now: number, { secrets, urls }: ListedParts): string =>
    monitorRecordText(view, { stored, target: facts.target ?? null }, {
      secrets,
      urls,
      uptime: uptimeOf(facts, now),
      late: lateOf(facts, now, DateTime.formatIso),
      nextExpectedAt: nextOf(facts, now, DateTime.formatIso),
      muted: facts.muted
    })

  /** The records of a list, as JSON. The generator is made once, because V8 keeps what one made for each call refers to. */
  const listed: (view: View, rows: ReadonlyArray<ListedMonitor>, now: number) => Effect.Effect<ReadonlyArray<string>> = Effect
    .fnUntraced(function*(view: View, rows: ReadonlyArray<ListedMonitor>, now: number) {
      const records: Array<string> = []
      for (const one of rows) {
        const row = one.facts
        const urls = row.tokenSealed === null
          ? { dashboard: links.monitor(row.id), ping: null }
          : yield* urlsOf(view, row)
        records.push(listedWith(view, one, now, { secrets: outlinedSecrets(row), urls }))
      }
      return records
    })

  const created = (id: MonitorId, settings: MonitorSettings, createdAt: DateTime.Utc, muted: Monitor["muted"]): Monitor =>
    recordOfNew(links, id, settings, createdAt, muted)

  return { created, full, listed }
})
