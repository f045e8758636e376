/** The actions on a monitor, as buttons. */
import type { Monitor } from "../../../../schema/monitor/Monitor.ts"
import { CallButton } from "../../design/Form.tsx"
import { useMay } from "../../design/May.tsx"
import { MuteMonitor } from "../maintenance/Mutes.tsx"

interface ActionProps {
  readonly monitor: Pick<Monitor, "id" | "kind" | "name" | "paused">
}

export const monitorPath = (id: Monitor["id"]): `/app${string}` => `/app/monitors/${id}`

/** Pauses the monitor, or resumes it. The notice offers the reverse. */
const PauseButton = ({ monitor: { id, paused } }: ActionProps) => (
  <CallButton
    call="update_monitor"
    id={`pause-${id}`}
    fixed={{ id, "paused:boolean": !paused }}
    said={paused ? "Monitor resumed" : "Monitor paused. It is not checked and sends no alerts until you resume it."}
    undo={{ operation: "update_monitor", given: { id, "paused:boolean": String(paused) } }}
  >
    {paused ? "Resume" : "Pause"}
  </CallButton>
)

/** The form of `RunCheckButton`, for `useAnswerOf`. */
export const runCheckForm = (id: Monitor["id"]): string => `run-check-${id}`

/**
 * Checks the target now, and shows the check as the answer of the form. The result counts, except while the monitor is paused. A
 * heartbeat has no target, so it has no such button.
 */
export const RunCheckButton = ({ monitor: { id, kind, paused }, tight = false }: ActionProps & { readonly tight?: boolean }) =>
  kind === "heartbeat" ? null : (
    <CallButton
      call="run_check"
      id={runCheckForm(id)}
      fixed={{ id, "apply:boolean": !paused }}
      look={tight ? "plain tight" : "plain"}
    >
      Run check now
    </CallButton>
  )

/** All actions, for the head of a monitor's view. */
export const MonitorActions = ({ monitor }: { readonly monitor: ActionProps["monitor"] & Pick<Monitor, "muted"> }) => (
  <>
    <RunCheckButton monitor={monitor} />
    <PauseButton monitor={monitor} />
    <MuteMonitor monitor={monitor} />
    {useMay("update_monitor") ? <a class="button plain" href={`${monitorPath(monitor.id)}/edit`}>Edit</a> : null}
    {useMay("delete_monitor") ? <a class="button danger" href={`${monitorPath(monitor.id)}/delete`}>Delete…</a> : null}
  </>
)
