/** The actions on a monitor, as buttons that each of its views can show. */
import type { Monitor } from "../../../../schema/monitor/Monitor.ts"
import { CallButton, useMay } from "../../design/Form.tsx"

type Actable = Pick<Monitor, "id" | "kind" | "name" | "paused">

type Then = `/app${string}`

interface ActionProps {
  readonly monitor: Actable
  /** The view to show afterwards; default the monitor's. */
  readonly then?: Then
  readonly tight?: boolean
}

const lookOf = (tight: boolean) => (tight ? "plain tight" : "plain")

export const monitorPath = (id: Monitor["id"]): Then => `/app/monitors/${id}`

/** Pauses the monitor, or resumes it. The notice offers the reverse. */
const PauseButton = ({ monitor: { id, paused }, then = monitorPath(id), tight = false }: ActionProps) => (
  <CallButton
    call="update_monitor"
    id={`pause-${id}`}
    fixed={{ id, "paused:boolean": !paused }}
    then={then}
    said={paused ? "Monitor resumed" : "Monitor paused. It is not checked and sends no alerts until you resume it."}
    undo={{ operation: "update_monitor", given: { id, "paused:boolean": String(paused) } }}
    look={lookOf(tight)}
  >
    {paused ? "Resume" : "Pause"}
  </CallButton>
)

/** The form of `RunCheckButton`, for `useAnswer`. */
export const runCheckForm = (id: Monitor["id"]): string => `run-check-${id}`

/**
 * Checks the target now. The result counts, except while the monitor is paused. Without `then` the view is shown again, with
 * the check as the answer of the form. A heartbeat has no target, so it has no such button.
 */
export const RunCheckButton = ({ monitor: { id, kind, paused }, then, tight = false }: ActionProps) =>
  kind === "heartbeat" ? null : (
    <CallButton
      call="run_check"
      id={runCheckForm(id)}
      fixed={{ id, "apply:boolean": !paused }}
      {...(then === undefined ? {} : { then, said: "Check done" })}
      look={lookOf(tight)}
    >
      Run check now
    </CallButton>
  )

/** Links to the form that changes the monitor. */
const EditLink = ({ monitor: { id }, tight = false }: ActionProps) =>
  useMay("update_monitor") ? <a class={`button ${lookOf(tight)}`} href={`${monitorPath(id)}/edit`}>Edit</a> : null

/** Links to the view that confirms the deletion. */
const DeleteLink = ({ monitor: { id }, tight = false }: ActionProps) =>
  useMay("delete_monitor")
    ? <a class={`button danger${tight ? " tight" : ""}`} href={`${monitorPath(id)}/delete`}>Delete…</a>
    : null

/** All actions, for the head of a monitor's view. */
export const MonitorActions = (props: ActionProps) => (
  <>
    <RunCheckButton {...props} />
    <PauseButton {...props} />
    <EditLink {...props} />
    <DeleteLink {...props} />
  </>
)
