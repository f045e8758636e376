/** The texts of a status page in one language; numbers, dates and durations arrive formatted by `Intl`. */
import type { EffectiveStatus } from "../../../schema/component/Component.ts"
import type { Incident } from "../../../schema/incident/Incident.ts"

export interface Words {
  /** The status of one component. */
  readonly component: Record<EffectiveStatus, string>
  /** The status of the whole page, as its headline. */
  readonly page: Record<EffectiveStatus, string>
  /** The status of an incident or a maintenance. */
  readonly progress: Record<Incident["status"], string>
  /** One name of several, and how many others there are: titles name no more. */
  readonly andMore: (name: string, more: number) => string
  /** The title of an incident that a monitor opened. `isOne` is false for a name with others. */
  readonly isDown: (names: string, isOne: boolean) => string
  /** Notes of automatic incidents. They are stored in English and translated for each visitor. */
  readonly investigating: (names: string) => string
  readonly investigatingAlone: string
  readonly affectedToo: (name: string) => string
  /** A component of the incident fails in another way than before. */
  readonly fails: Record<"degraded" | "partial_outage" | "major_outage", (name: string) => string>
  readonly recovered: (names: string, duration: string) => string
  /** Other components of the same incident still fail. */
  readonly recoveredAlone: (name: string) => string
  /** An incident ends without a recovery: its monitor was paused, for example. */
  readonly monitoringEnded: (names: string, duration: string) => string
  /** Notes of maintenance windows, which remind, start and complete by themselves. */
  readonly maintenanceSoon: (duration: string) => string
  readonly maintenancePlanned: string
  readonly maintenanceStarted: string
  readonly maintenanceCompleted: string
  readonly skipToContent: string
  readonly updated: (time: string) => string
  readonly outOfDate: string
  readonly noComponents: string
  readonly services: string
  readonly activeIncidents: string
  readonly plannedMaintenance: string
  readonly affects: (components: string) => string
  readonly pastIncidents: string
  readonly noIncidents: (days: number) => string
  readonly incidentHistory: string
  /** The way back from the history. */
  readonly currentStatus: string
  readonly noIncidentsIn: (month: string) => string
  readonly resolvedAfter: (duration: string) => string
  readonly uptime: (percent: string) => string
  readonly uptimeHistory: string
  readonly lastDays: (days: number) => string
  readonly today: string
  readonly noData: string
  readonly downFor: (duration: string) => string
  readonly daysWithProblems: (days: string) => string
  readonly responseTimes: string
  readonly lastHours: (hours: number) => string
  /** The response time that half of the checks, and 95% of them, stayed below. */
  readonly median: (time: string) => string
  readonly nearlyAll: (time: string) => string
  /** Of a page that asks for a password. */
  readonly passwordTitle: string
  readonly password: string
  readonly openPage: string
  readonly passwordWrong: string
  readonly tooManyAttempts: string
  readonly support: string
  readonly poweredBy: string
  readonly notFoundTitle: string
  readonly notFoundText: string
  readonly missingTitle: string
  readonly missingText: string
  readonly unavailableTitle: string
  readonly unavailableText: string
}
