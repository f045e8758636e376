/** The form that creates or changes a monitor: what to check, how often and from where, who is alerted, and the rest under "More". */
import { Effect } from "effect"
import { mostChannels } from "../../../../../schema/monitor/Monitor.ts"
import type { MonitorKind } from "../../../../../schema/monitor/MonitorKind.ts"
import { isolated } from "../../../../domain/tools/text/Direction.ts"
import { writeDuration } from "../../../../domain/tools/time/SpokenDuration.ts"
import { Choices } from "../../../design/Choices.tsx"
import { Area, Buttons, CallForm, Check, Field, Select, TryButton, useAnswerOf } from "../../../design/Form.tsx"
import { MonitorsField } from "../../../design/MonitorsField.tsx"
import { useNumber } from "../../../design/Time.tsx"
import { listText } from "../../../frame/FormBody.ts"
import { read, readOrNull, together } from "../../../frame/View.ts"
import { defaultChannels } from "../../channel/DefaultChannels.ts"
import { AssertionRows, seenIn } from "./AssertionRows.tsx"
import { CheckResult } from "./CheckResult.tsx"
import { limitsOf } from "./FieldLimits.ts"
import { kindForms } from "./KindForms.ts"
import { DurationSetting, type Edited, NumberSetting } from "./SettingFields.tsx"

/** Checks among which the newest evidence is looked for. */
const searched = 30

/** The newest check with evidence. Evidence can be large, so the list is read without. */
const readLastAnswer = Effect.fn("FormChoices.lastAnswer")(function*(id: string) {
  const checks = yield* readOrNull("list_checks", { id, limit: searched })
  const seen = checks?.data.find(({ hasEvidence }) => hasEvidence)
  return seen === undefined ? null : yield* readOrNull("get_check", { id: seen.id })
})

/** `id` is the monitor that is edited; null for a new one. */
export const readFormChoices = Effect.fn("FormChoices.read")(function*(id: string | null) {
  const [channels, regions, identity, lastAnswer] = yield* together([
    read("list_channels"),
    read("list_regions", { results: false }),
    read("whoami"),
    id === null ? Effect.succeed(null) : readLastAnswer(id)
  ])
  return {
    channels: channels.data,
    regions: regions.data.map((region) => region.id),
    limits: identity.limits,
    /** The newest check with evidence. */
    lastAnswer
  }
})
type FormChoices = Effect.Effect.Success<ReturnType<typeof readFormChoices>>

interface FormProps {
  readonly kind: MonitorKind
  readonly monitor: Edited
  readonly choices: FormChoices
}

const formId = "monitor"

const Schedule = ({ choices: { limits, regions }, kind, monitor }: FormProps) => {
  const { count } = useNumber()
  const { usualSec = 60 } = kindForms[kind]
  // A region that has no probe now stays with its monitor.
  const offered = [...new Set([...regions, ...(monitor?.regions ?? [])])]
  return (
    <fieldset>
      <legend>How often and from where</legend>
      <div class="columns">
        <DurationSetting
          name="intervalSec"
          label="Check every"
          required
          unit="seconds"
          least={kind === "domain" ? 3600 : Math.max(10, limits.minIntervalSec)}
          value={monitor?.intervalSec ?? Math.max(usualSec, limits.minIntervalSec)}
          hint={limits.minIntervalSec > 10 ? "Your plan sets the minimum." : undefined}
        />
        <DurationSetting
          name="timeoutMs"
          label="Timeout"
          unit="millis"
          placeholder="10 s"
          value={monitor?.timeoutMs ?? 10_000}
          hint="At most the interval."
        />
      </div>
      {regions.length < 2 && monitor === null ? null : (
        <Choices
          name="regions"
          label="Regions"
          required
          options={offered.map((id) => [id, id])}
          values={monitor?.regions ?? regions.slice(0, 1)}
          hint={`At most ${count(limits.regionsPerMonitor)} on your plan. More regions must agree before the monitor is down.`}
        />
      )}
    </fieldset>
  )
}

const Alerts = ({ choices: { channels }, monitor }: FormProps) => (
  <fieldset>
    <legend>Alerts</legend>
    {channels.length === 0
      ? (
        <p class="note">
          No alert channel yet, so nobody is alerted. <a href="/app/channels">Create one</a>, then choose it here.
        </p>
      )
      : (
        <Choices
          name="channelIds"
          label="Channels"
          options={channels.map(({ id, name, type }) => [id, `${isolated(name)} (${type})`])}
          values={monitor?.channelIds ?? defaultChannels(channels)}
          hint={`Without a channel, nobody is alerted. At most ${mostChannels}.`}
        />
      )}
    <div class="columns">
      <NumberSetting
        name="failureThreshold"
        label="Down after"
        unit="failures in a row"
        value={monitor?.failureThreshold ?? 2}
      />
      <NumberSetting
        name="recoveryThreshold"
        label="Up again after"
        unit="successes in a row"
        value={monitor?.recoveryThreshold ?? 1}
      />
    </div>
  </fieldset>
)

const Probed = ({ monitor }: { readonly monitor: Edited }) => (
  <>
    <div class="columns">
      <DurationSetting
        name="confirmAfterSec"
        label="Check a failure again within"
        clears={monitor !== null}
        unit="seconds"
        value={monitor?.confirmAfterSec}
        hint={monitor === null
          ? "Default: half the interval, between 10 and 30 s. 0 waits for the next check."
          : "Empty or 0: not before the next check."}
      />
    </div>
    <input type="hidden" name="failureRate:text?" value="" />
    <div class="columns">
      <Field
        name="failureRate.failures"
        type="number"
        label="Also down with failures"
        value={monitor?.failureRate?.failures}
        hint="For a target that fails intermittently, for example in 4 of the last 10 rounds."
      />
      <Field name="failureRate.of" type="number" label="of the last rounds" value={monitor?.failureRate?.of} />
    </div>
  </>
)

const More = ({ kind, monitor }: FormProps) => {
  const { more, probed = true } = kindForms[kind]
  return (
    <details class="more" open={monitor !== null}>
      <summary>More settings</summary>
      <div class="form wide">
        {more?.(monitor)}
        <Area name="description" as="text?" label="Description" rows={2} value={monitor?.description} />
        <Field
          name="tags"
          as="list"
          label="Tags"
          value={listText(monitor?.tags ?? [])}
          hint="Separated by commas. Deploys and filters find monitors by tag."
        />
        {probed ? <Probed monitor={monitor} /> : null}
        <Field
          name="reminderMinutes"
          as="minuteList"
          label="Remind after"
          value={monitor?.reminderMinutes.map((minutes) => writeDuration(minutes * 60_000)).join(", ")}
          hint="How long after the start of an outage, separated by commas, for example 30 min, 2 h. At most 10."
        />
        <MonitorsField
          name="dependsOn"
          as="list"
          label="Depends on"
          value={monitor?.dependsOn.join(", ")}
          hint="Other monitors, at most 10. While one of them is down, alerts of this monitor wait."
        />
        <Select
          name="urgency"
          as="word?"
          label="Urgency of its pages"
          required={false}
          value={monitor?.urgency ?? ""}
          options={[["", "High, unless the policy says otherwise"], ["high", "High"], ["low", "Low"]]}
        />
        <Check name="ai" label="Let AI analyze its incidents" checked={monitor?.ai ?? true} />
        <Check
          name="paused"
          label="Paused"
          checked={monitor?.paused ?? false}
          hint="A paused monitor is not checked and sends no alerts."
        />
      </div>
    </details>
  )
}

const Fields = (props: FormProps) => {
  const { choices: { lastAnswer }, kind, monitor } = props
  const preview = useAnswerOf(formId, "preview_check")
  const { assertions = [], main, probed = true } = kindForms[kind]
  const answer = preview ?? lastAnswer
  const seen = answer === null || answer.evidence === null ? null : seenIn({ ...answer, evidence: answer.evidence })
  return (
    <>
      {preview === null ? null : <CheckResult result={preview} title="What this check would see" />}
      <fieldset>
        <legend>What to check</legend>
        {monitor === null ? main(monitor) : null}
        <Field
          name="name"
          label="Name"
          required
          value={monitor?.name}
          attributes={{
            ...limitsOf("name"),
            "placeholder": "Checkout API",
            ...(monitor === null ? { "data-host-of": "url" } : {})
          }}
        />
        {monitor === null ? null : main(monitor)}
      </fieldset>
      {probed ? <Schedule {...props} /> : null}
      {assertions.length === 0
        ? null
        : <AssertionRows stored={monitor?.assertions ?? []} sources={assertions} seen={seen} />}
      <Alerts {...props} />
      <More {...props} />
      <Buttons>
        <button>{monitor === null ? "Create monitor" : "Save changes"}</button>
        {probed ? <TryButton call="preview_check">Run now without saving</TryButton> : null}
        <a class="button plain" href={monitor === null ? "/app/monitors" : `/app/monitors/${monitor.id}`}>Cancel</a>
      </Buttons>
    </>
  )
}

export const MonitorForm = (props: FormProps) => {
  const { kind, monitor } = props
  const [call, fixed, then, said] = monitor === null
    ? ["create_monitor", { kind }, "/app/monitors/{id}", "Monitor created"] as const
    : ["update_monitor", { id: monitor.id }, `/app/monitors/${monitor.id}`, "Changes saved"] as const
  return (
    <CallForm call={call} id={formId} fixed={fixed} {...(monitor === null ? {} : { of: monitor })} then={then} said={said}>
      <Fields {...props} />
    </CallForm>
  )
}
