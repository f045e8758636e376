/** The fields of an alert channel: the settings of its kind, the events that it gets, and how. */
import type { Channel, ChannelType } from "../../../../schema/alert/Channel.ts"
import { eventTypes } from "../../../../schema/event/EventData.ts"
import { keepsAlerts } from "../../../domain/alert/PagingAlerts.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { Choices } from "../../design/Choices.tsx"
import { Area, Check, Field } from "../../design/Form.tsx"
import { inWords } from "../../design/Parts.tsx"
import { channelKinds, type Setting, settingsOf } from "./ChannelKinds.ts"

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

const pairsText = (pairs: Readonly<Record<string, string>>) =>
  Object.entries(pairs).map(([name, value]) => `${name}: ${value}`).join("\n")

const valueOf = (channel: Channel | null, setting: Setting): string =>
  channel === null
    ? ""
    : setting === "emails"
    ? (channel.emails ?? []).join("\n")
    : setting === "headers"
    ? pairsText(channel.headers)
    : setting === "buttons"
    ? ""
    : channel[setting] ?? ""

const SettingField = ({ channel, setting, type }: {
  readonly type: ChannelType
  readonly setting: Setting
  readonly channel: Channel | null
}) => {
  const given = channelKinds[type].settings[setting]
  if (given === undefined) return null
  const common = { name: setting, label: given.label, hint: given.hint, value: valueOf(channel, setting) }
  if (setting === "buttons") {
    return <Check name={setting} label={given.label} hint={given.hint} checked={channel?.buttons ?? false} />
  }
  if (setting === "emails") return <Area {...common} as="list" required rows={3} />
  if (setting === "headers") return <Area {...common} as="pairs" rows={3} code />
  return (
    <Field
      {...common}
      type={setting === "url" ? "url" : "text"}
      {
        // An optional setting of a channel that is emptied is removed.
        ...(channel !== null && given.optional === true ? { as: "text?" } as const : {})
      }
      // A channel that an app posts to has no address.
      required={given.optional !== true && (setting !== "url" || channel === null || channel.url !== null)}
      attributes={{ autocomplete: "off", spellcheck: false, maxlength: 1000 }}
    />
  )
}

export const KindFields = ({ channel, type }: { readonly type: ChannelType; readonly channel: Channel | null }) => (
  <>{settingsOf(type).map((setting) => <SettingField type={type} setting={setting} channel={channel} />)}</>
)

const families = [...new Set(eventTypes.map((type) => type.split(".")[0] ?? type))].filter((family) => family !== "test")

const choices: ReadonlyArray<readonly [string, string]> = [
  ["*", "Everything"],
  ...families.map((family) => [`${family}.*`, `${inWords(family)}: all`] as const)
]

export const RoutingFields = ({ channel }: { readonly channel: Channel | null }) => {
  const values = channel?.events ?? []
  return (
    <>
      <Check
        name="isDefault"
        label="Attach to new monitors"
        hint="New monitors alert here unless you choose other channels for them."
        checked={channel?.isDefault ?? true}
      />
      {channel === null ? null : (
        <>
          {keepsAlerts(channel.type) ? null : (
            <Check
              name="groupAlerts"
              label="Group alerts"
              hint="The first alert is sent immediately. Alerts in the minute after it are combined into one message, and a flapping monitor sends a single report."
              checked={channel.groupAlerts}
            />
          )}
          <Check name="enabled" label="Enabled" hint="A disabled channel gets no alerts." checked={channel.enabled} />
        </>
      )}
      <details class="more" open={values.length > 0}>
        <summary>Events</summary>
        <Choices
          name="events"
          label="Send only"
          options={[
            ...choices,
            ...eventTypes.filter((type) => type !== "test.ping").map((type) => [type, type] as const)
          ]}
          values={values}
          hint="Select none for the default events: monitors that go down, recover or degrade, incidents and maintenance."
        />
      </details>
    </>
  )
}
