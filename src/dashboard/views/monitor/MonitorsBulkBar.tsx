/** What can be done with the selected monitors; shown once one is selected. */
import type { RegionId } from "../../../../schema/check/Region.ts"
import { BareInput, BareSelect } from "../../design/BareControls.tsx"
import { BulkButton } from "../../design/BulkForm.tsx"
import { useNumber } from "../../design/Time.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import { muteDurations } from "../maintenance/Mutes.tsx"

type Channels = AnswerOf<"list_channels">["data"]

const intervals = [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 21_600, 86_400]
const thresholds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

const Lists = ({ channels, regions }: { readonly channels: Channels; readonly regions: ReadonlyArray<typeof RegionId.Type> }) => (
  <>
    <div class="inline-field">
      <span class="legend">Tag</span>
      <BareInput name="tags" as="list" label="Tag to add or remove" attributes={{ maxlength: 40, placeholder: "Tag" }} />
      <BulkButton call="update_monitor" take={["tags:list"]} said="Tag added to {count:monitor}" label="Add tag">Add</BulkButton>
      <BulkButton call="update_monitor" take={["tags:list"]} less said="Tag removed from {count:monitor}" label="Remove tag">
        Remove
      </BulkButton>
    </div>
    {channels.length === 0 ? null : (
      <div class="inline-field">
        <span class="legend">Channel</span>
        <BareSelect
          name="channelIds"
          as="all"
          label="Channel to add or remove"
          options={[
            ["", "Choose"],
            ...channels.map(({ id, name }) => [id, name] as const)
          ]}
        />
        <BulkButton call="update_monitor" take={["channelIds:all"]} said="Channel added to {count:monitor}" label="Add channel">
          Add
        </BulkButton>
        <BulkButton
          call="update_monitor"
          take={["channelIds:all"]}
          less
          said="Channel removed from {count:monitor}"
          label="Remove channel"
        >
          Remove
        </BulkButton>
      </div>
    )}
    {regions.length < 2 ? null : (
      <div class="inline-field">
        <span class="legend">Region</span>
        <BareSelect
          name="regions"
          as="all"
          label="Region to add or remove"
          options={[
            ["", "Choose"],
            ...regions.map((id) => [id, id] as const)
          ]}
        />
        <BulkButton call="update_monitor" take={["regions:all"]} said="Region added to {count:monitor}" label="Add region">
          Add
        </BulkButton>
        <BulkButton
          call="update_monitor"
          take={["regions:all"]}
          less
          said="Region removed from {count:monitor}"
          label="Remove region"
        >
          Remove
        </BulkButton>
      </div>
    )}
  </>
)

const Numbers = () => {
  const { duration } = useNumber()
  const options = thresholds.map((number) => [String(number), String(number)] as const)
  return (
    <>
      <div class="inline-field">
        <span class="legend">Check every</span>
        <BareSelect
          name="intervalSec"
          as="number"
          label="Check every"
          options={[["", "Choose"], ...intervals.map((seconds) => [String(seconds), duration(seconds)] as const)]}
        />
        <BulkButton
          call="update_monitor"
          take={["intervalSec:number"]}
          said="Interval of {count:monitor} set"
          label="Set interval"
        >
          Set
        </BulkButton>
      </div>
      <div class="inline-field">
        <span class="legend">Down after</span>
        <BareSelect name="failureThreshold" as="number" label="Failures until down" options={[["", "Failures"], ...options]} />
        <BulkButton
          call="update_monitor"
          take={["failureThreshold:number"]}
          said="Failures until down of {count:monitor} set"
          label="Set failures until down"
        >
          Set
        </BulkButton>
      </div>
      <div class="inline-field">
        <span class="legend">Up after</span>
        <BareSelect name="recoveryThreshold" as="number" label="Successes until up" options={[["", "Successes"], ...options]} />
        <BulkButton
          call="update_monitor"
          take={["recoveryThreshold:number"]}
          said="Successes until up of {count:monitor} set"
          label="Set successes until up"
        >
          Set
        </BulkButton>
      </div>
      <div class="inline-field">
        <span class="legend">Mute for</span>
        <BareSelect
          name="durationSec"
          as="number"
          label="Mute for"
          options={[["", "Choose"], ...muteDurations]}
        />
        <BulkButton
          call="create_mute"
          ids="monitorIds"
          take={["durationSec:number"]}
          said="{count:monitor} muted"
          undo="end_mute"
          label="Mute"
        >
          Mute
        </BulkButton>
      </div>
    </>
  )
}

export const MonitorsBulkBar = (props: {
  readonly channels: Channels
  readonly regions: ReadonlyArray<typeof RegionId.Type>
}) => (
  <div class="bulk-bar" role="group" aria-label="Change the selected monitors">
    <span class="num" data-selected="monitor" />
    {/* Its first button is the one that Enter presses in a field: it adds a tag, and refuses without one. */}
    <details class="bulk-more" id="bulk-more">
      <summary class="button plain tight">Change…</summary>
      <div class="panel">
        <Lists {...props} />
        <Numbers />
      </div>
    </details>
    <BulkButton call="update_monitor" set={{ "paused:boolean": "true" }} said="{count:monitor} paused">Pause</BulkButton>
    <BulkButton call="update_monitor" set={{ "paused:boolean": "false" }} said="{count:monitor} resumed">Resume</BulkButton>
    <BulkButton call="delete_monitor" confirm="/app/monitors/delete" said="" look="danger tight">Delete…</BulkButton>
    <button type="button" class="plain tight" data-unselect hidden>Clear selection</button>
  </div>
)
