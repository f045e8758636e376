/** A monitor as it is read to be shown. */
import type { HeartbeatTarget } from "../../../schema/monitor/kinds/heartbeat.ts"
import type { Muted } from "../../../schema/mute/Mute.ts"
import type { PingTimes } from "../../domain/monitor/job/ExpectedPing.ts"
import type { MonitorSource } from "../../domain/monitor/MonitorRecord.ts"
import type { MaintenanceSpans, WindowSpans } from "../../domain/monitor/SpanTotals.ts"

/** A monitor as it is shown. PostgreSQL makes it as JSON, with times as texts: decoding by a schema would cost more than all the rest. */
export interface ShownMonitor extends MonitorSource<string> {
  /** Null if it has none. */
  readonly spans: WindowSpans | null
  /** Its times of maintenance in the windows of its uptime; null if there were none. */
  readonly maintenance: ReadonlyArray<MaintenanceSpans> | null
  /** The source that keeps its alerts back; null if none does. */
  readonly muted: Omit<Muted, "until"> & { readonly until: string } | null
  readonly lastRoundAt: number | null
  readonly heardAt: number | null
  /** The time of the last edit, ms since 1970. */
  readonly changedAt: number
  readonly headerNames: ReadonlyArray<string>
  readonly hasBody: boolean
  readonly hasClientKey: boolean
  readonly hasClientSecret: boolean
  /** The sealed request secrets. */
  readonly sealed: string | null
  readonly tokenSealed: string | null
  /** When a heartbeat expects pings, and its last one; null for other kinds. */
  readonly awaits: (PingTimes & Omit<HeartbeatTarget, "kind">) | null
  /** About how many bytes of JSON its settings take. */
  readonly octets: number
}
