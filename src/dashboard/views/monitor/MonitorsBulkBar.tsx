/** The changes of the selected monitors; shown once one is selected. */
import type { ComponentChildren } from "preact"
import type { RegionId } from "../../../../schema/check/Region.ts"
import { BareInput, BareSelect } from "../../design/BareControls.tsx"
import { BulkButton } from "../../design/BulkForm.tsx"
import { useNumber } from "../../design/Time.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import { muteDurations } from "../maintenance/Mutes.tsx"

interface BarProps {
  readonly channels: AnswerOf<"list_channels">["data"]
  readonly regions: ReadonlyArray<typeof RegionId.Type>
}

const intervals = [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 21_600, 86_400]
const thresholds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

type Options = ReadonlyArray<readonly [value: string, text: string]>

/** Adds a value to the lists of the selected monitors, or removes it from them. */
const ListChange = ({ children, field, title }: {
  readonly title: string
  /** The name of the control, with its type. */
  readonly field: string
  readonly children: ComponentChildren
}) => {
  const noun = title.toLowerCase()
  return (
    <div class="inline-field">
      <span class="legend">{title}</span>
      {children}
      <BulkButton
        call="update_monitors"
        within="add"
        take={[field]}
        said={`${title} added to {count:monitor}`}
        label={`Add ${noun}`}
      >
        Add
      </BulkButton>
      <BulkButton
        call="update_monitors"
        within="remove"
        take={[field]}
        said={`${title} removed from {count:monitor}`}
        label={`Remove ${noun}`}
      >
        Remove
      </BulkButton>
    </div>
  )
}

/** A choice of one value of a list; none if there is nothing to choose. */
const ListChoice = ({ name, options, title }: { readonly name: string; readonly title: string; readonly options: Options }) =>
  options.length === 0 ? null : (
    <ListChange title={title} field={`${name}:all`}>
      <BareSelect name={name} as="all" label={`${title} to add or remove`} options={[["", "Choose"], ...options]} />
    </ListChange>
  )

/** Gives all selected monitors the same number. `what` names it: "interval". */
const NumberChange = ({ label, name, none = "Choose", options, title, what }: {
  readonly title: string
  readonly name: string
  readonly label: string
  readonly none?: string
  readonly what: string
  readonly options: Options
}) => (
  <div class="inline-field">
    <span class="legend">{title}</span>
    <BareSelect name={name} as="number" label={label} options={[["", none], ...options]} />
    <BulkButton
      call="update_monitors"
      within="set"
      take={[`${name}:number`]}
      said={`${what} of {count:monitor} set`}
      label={`Set ${what.toLowerCase()}`}
    >
      Set
    </BulkButton>
  </div>
)

const MuteChange = () => (
  <div class="inline-field">
    <span class="legend">Mute for</span>
    <BareSelect name="durationSec" as="number" label="Mute for" options={muteDurations} value="3600" />
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
)

const Changes = ({ channels, regions }: BarProps) => {
  const { duration } = useNumber()
  const numbers = thresholds.map((number) => [String(number), String(number)] as const)
  const seconds = intervals.map((interval) => [String(interval), duration(interval)] as const)
  return (
    <div class="panel">
      <ListChange title="Tag" field="tags:list">
        <BareInput name="tags" as="list" label="Tag to add or remove" attributes={{ maxlength: 40, placeholder: "Tag" }} />
      </ListChange>
      <ListChoice title="Channel" name="channelIds" options={channels.map(({ id, name }) => [id, name] as const)} />
      <ListChoice title="Region" name="regions" options={regions.length < 2 ? [] : regions.map((id) => [id, id] as const)} />
      <NumberChange title="Check every" label="Check every" name="intervalSec" what="Interval" options={seconds} />
      <NumberChange
        title="Down after"
        label="Failures until down"
        name="failureThreshold"
        none="Failures"
        what="Failures until down"
        options={numbers}
      />
      <NumberChange
        title="Up after"
        label="Successes until up"
        name="recoveryThreshold"
        none="Successes"
        what="Successes until up"
        options={numbers}
      />
      <MuteChange />
    </div>
  )
}

export const MonitorsBulkBar = (props: BarProps) => (
  <div class="bulk-bar" role="group" aria-label="Change the selected monitors">
    <span class="num" data-selected="monitor" />
    {/* Its first button is the one that Enter presses in a field: it adds a tag, and refuses without one. */}
    <details class="bulk-more" id="bulk-more">
      <summary class="button plain tight">Change…</summary>
      <Changes {...props} />
    </details>
    <BulkButton call="update_monitors" within="set" set={{ "paused:boolean": "true" }} said="{count:monitor} paused">
      Pause
    </BulkButton>
    <BulkButton call="update_monitors" within="set" set={{ "paused:boolean": "false" }} said="{count:monitor} resumed">
      Resume
    </BulkButton>
    <BulkButton call="delete_monitors" confirm="/app/monitors/delete" said="" look="danger tight">Delete…</BulkButton>
    <button type="button" class="plain tight" data-unselect hidden>Clear selection</button>
  </div>
)
