/** Whether a new channel also alerts for monitors that exist already: the workspace's first one does, unless the person says no. */
import { counted } from "../../design/Counted.ts"
import { Check } from "../../design/Form.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"

type Counts = AnswerOf<"list_monitors">["counts"]

export const totalOf = (counts: Counts): number => Object.values(counts ?? {}).reduce((sum, some) => sum + some, 0)

/** The first channel's alerts, in words. */
export const alertsOfAll = (monitors: number): string =>
  monitors === 1 ? "Alerts for your monitor go here." : `Alerts for all ${counted(monitors, "monitor")} go here.`

export const AttachExisting = ({ first, monitors }: {
  /** Whether the workspace has no other channel, so that no monitor has one. */
  readonly first: boolean
  readonly monitors: number
}) =>
  monitors === 0 ? null : (
    <Check
      name="attachExisting"
      label={first ? "Attach to existing monitors" : "Attach to monitors that have no channel"}
      hint={first ? alertsOfAll(monitors) : "They alert nobody until they have one."}
      checked={first}
    />
  )
