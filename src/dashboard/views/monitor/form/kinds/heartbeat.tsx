/** The form of a monitor of a job that reports by itself: by its period, or by its schedule. */
import { clockRule } from "../../../../../domain/monitor/schedule/ScheduleWords.ts"
import { Island } from "../../../../design/Parts.tsx"
import { ZoneField } from "../../../../design/TimeFields.tsx"
import { useVisit } from "../../../../frame/Visit.ts"
import { type KindForm, slowField } from "../KindForm.tsx"
import { DurationSetting, type Edited, TextSetting } from "../SettingFields.tsx"

const ways = [["period", "At an interval"], ["schedule", "On a schedule"]] as const

/** Links, so that the form has one of the two without a script, too. */
const Ways = ({ chosen }: { readonly chosen: string }) => {
  const { query, url } = useVisit()
  const at = (by: string) => `${url.split("?")[0]}?${new URLSearchParams({ ...Object.fromEntries(query), by }).toString()}`
  return (
    <nav class="kinds" aria-label="When pings are expected">
      {ways.map(([by, name]) => <a href={at(by)} data-carry aria-current={by === chosen ? "page" : undefined}>{name}</a>)}
    </nav>
  )
}

const Period = ({ monitor }: { readonly monitor: Edited }) => (
  <DurationSetting
    name="periodSec"
    label="Expect a ping every"
    required
    unit="seconds"
    value={monitor?.periodSec ?? 3600}
    placeholder="1 day"
    hint="For example 15 min, 1 h or 1 day."
  />
)

const Schedule = ({ monitor }: { readonly monitor: Edited }) => {
  const { locale, zone } = useVisit()
  return (
    <>
      <div class="columns">
        <TextSetting
          name="schedule"
          label="Schedule"
          required
          value={monitor?.schedule}
          placeholder="30 2 * * *"
          hint="A cron expression such as 30 2 * * *, or a systemd calendar expression such as Mon..Fri 18:00."
        />
        <ZoneField
          name="timezone"
          label="Time zone"
          listId="schedule-zones"
          value={monitor?.timezone ?? zone}
          hint="Of the machine that runs the job. Default: UTC."
        />
      </div>
      <Island name="schedule" keep props={{ locale }} />
      <p class="note">{clockRule}</p>
    </>
  )
}

const Rhythm = ({ monitor }: { readonly monitor: Edited }) => {
  const { query } = useVisit()
  const usual = (monitor?.schedule ?? null) === null ? "period" : "schedule"
  const chosen = ways.find(([by]) => by === query.get("by"))?.[0] ?? usual
  return (
    <>
      <Ways chosen={chosen} />
      {chosen === "schedule" ? <Schedule monitor={monitor} /> : <Period monitor={monitor} />}
      <DurationSetting
        name="graceSec"
        label="Grace time"
        unit="seconds"
        value={monitor?.graceSec}
        hint={`How late a ping may be. Default: a tenth of the ${
          chosen === "schedule" ? "shortest time between two pings" : "period"
        }.`}
      />
    </>
  )
}

/** For installations that listen for mails of jobs. */
const MailWords = ({ monitor }: { readonly monitor: Edited }) => (
  <details class="more">
    <summary>Keywords in emails from the job</summary>
    <p class="note">Separated by commas. Without keywords, each email counts as a success.</p>
    <div class="columns">
      <TextSetting name="mailFailure" label="Failure" value={monitor?.mailFailure} placeholder="error, failed" />
      <TextSetting name="mailSuccess" label="Success" value={monitor?.mailSuccess} placeholder="completed" />
      <TextSetting name="mailStart" label="Start" value={monitor?.mailStart} placeholder="started" />
    </div>
  </details>
)

export const heartbeat: KindForm = {
  name: "Heartbeat",
  about: "Waits for pings from a cron job, a backup or another task, and alerts when one is missing.",
  main: (monitor) => (
    <>
      <Rhythm monitor={monitor} />
      <div class="columns">
        <DurationSetting
          name="maxRunSec"
          label="Maximum run time"
          clears
          unit="seconds"
          value={monitor?.maxRunSec}
          placeholder="30 min"
          hint="From the start ping to the end ping. Default: the grace time."
        />
        {slowField(monitor)}
      </div>
      <MailWords monitor={monitor} />
    </>
  ),
  probed: false
}
