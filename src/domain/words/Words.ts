/** What a status page says, in one language; numbers, dates and durations come formatted from `Intl`. */
import type { EffectiveStatus } from "../../../schema/component/Component.ts"
import type { Incident } from "../../../schema/incident/Incident.ts"

export interface Words {
  /** The status of one component. */
  readonly component: Record<EffectiveStatus, string>
  /** The status of the whole page, as its headline. */
  readonly page: Record<EffectiveStatus, string>
  /** Where an incident or a maintenance stands. */
  readonly progress: Record<Incident["status"], string>
  /** The title of an incident that a monitor opened. */
  readonly isDown: (names: string) => string
  /** The notes that monitors and pushes write; in English they are stored, and told again in the visitor's language. */
  readonly investigating: (names: string) => string
  readonly affectedToo: (name: string) => string
  readonly recovered: (names: string, duration: string) => string
  /** While others of the same incident still fail. */
  readonly recoveredAlone: (name: string) => string
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
  readonly resolvedAfter: (duration: string) => string
  readonly uptime: (percent: string) => string
  readonly uptimeHistory: string
  readonly lastDays: (days: number) => string
  readonly today: string
  readonly noData: string
  readonly downFor: (duration: string) => string
  readonly daysWithProblems: (days: string) => string
  readonly support: string
  readonly poweredBy: string
  readonly notFoundTitle: string
  readonly notFoundText: string
  readonly unavailableTitle: string
  readonly unavailableText: string
}
