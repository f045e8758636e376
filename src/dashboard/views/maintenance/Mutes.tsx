/** Mutes: those that run, and forms that begin one. */
import type { Monitor } from "../../../../schema/monitor/Monitor.ts"
import type { Mute } from "../../../../schema/mute/Mute.ts"
import { muteScope } from "../../../domain/alert/MuteMessage.ts"
import { CallButton, CallForm, Field, Select, Submit } from "../../design/Form.tsx"
import { useMay } from "../../design/May.tsx"
import { inWords, ListPanel, Panel } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"

export const muteDurations = [
  ["900", "15 minutes"],
  ["3600", "1 hour"],
  ["14400", "4 hours"],
  ["86400", "1 day"],
  ["604800", "1 week"]
] as const

const Common = () => (
  <>
    <Select name="durationSec" as="number" label="Duration" options={muteDurations} value="3600" />
    <Field name="reason" label="Reason" attributes={{ maxlength: 300, placeholder: "Deploy of checkout" }} />
  </>
)

const EndMute = ({ id }: Pick<Mute, "id">) => (
  <CallButton call="end_mute" id={`end-${id}`} fixed={{ id }} said="Mute ended" look="plain tight">End mute</CallButton>
)

/** The mutes that run, newest first. */
export const RunningMutes = ({ mutes }: { readonly mutes: ReadonlyArray<Mute> }) => (
  <ListPanel id="mutes" title="Muted now" none={["Nothing is muted", "A mute holds alerts back without announcing anything."]}>
    {mutes.map(({ by, id, reason, until, ...scope }) => (
      <li id={`mute-${id}`}>
        <div>
          <span class="title" dir="auto">{inWords(muteScope(scope))}</span>
          <p class="note">
            Until <Moment at={until} />, by <bdi>{by}</bdi>
            {reason === null ? null : (
              <>
                : <bdi>{reason}</bdi>
              </>
            )}
          </p>
        </div>
        <EndMute id={id} />
      </li>
    ))}
  </ListPanel>
)

export const NewMute = () =>
  useMay("create_mute")
    ? (
      <Panel id="new-mute" title="Mute monitors">
        <CallForm call="create_mute" id="mute" said="Muted">
          <p class="note">
            Alerts and pages are held back; checks and status pages continue. A monitor that is still down afterwards alerts then.
          </p>
          <div class="columns">
            <Select
              name="all"
              as="boolean"
              label="Monitors"
              options={[["true", "All monitors"], ["false", "Monitors with these tags"]]}
              value="true"
            />
            <Field
              name="tags"
              as="list"
              label="Tags"
              hint="Separated by commas. Monitors that get one of the tags later are muted too."
            />
            <Common />
          </div>
          <Submit>Mute</Submit>
        </CallForm>
      </Panel>
    )
    : null

/** Mutes a monitor, or ends the mute that covers it. */
export const MuteMonitorForm = ({ monitor: { id, muted } }: { readonly monitor: Pick<Monitor, "id" | "muted"> }) =>
  muted === null
    ? (
      <CallForm call="create_mute" id={`mute-${id}`} fixed={{ "monitorIds:all": id }} said="Monitor muted">
        <Common />
        <Submit>Mute</Submit>
      </CallForm>
    )
    : (
      <>
        <p>
          Muted until <Moment at={muted.until} />
        </p>
        {muted.muteId === null ? null : <EndMute id={muted.muteId} />}
      </>
    )

/** For the head of a monitor's view: mutes it, or ends the mute that covers it. */
export const MuteMonitor = ({ monitor: { id, muted } }: { readonly monitor: Pick<Monitor, "id" | "muted"> }) => {
  const may = useMay("create_mute")
  if (muted !== null) return muted.muteId === null ? null : <EndMute id={muted.muteId} />
  return may
    ? (
      <details class="confirm">
        <summary class="button plain">Mute…</summary>
        <div class="panel">
          <div class="body">
            <MuteMonitorForm monitor={{ id, muted }} />
          </div>
        </div>
      </details>
    )
    : null
}
