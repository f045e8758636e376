/** The form of a monitor of a job that reports by itself. */
import { Island } from "../../../../design/Parts.tsx"
import { useVisit } from "../../../../frame/Visit.ts"
import { type KindForm, slowField } from "../KindForm.tsx"
import { DurationSetting, type Edited, TextSetting } from "../SettingFields.tsx"

/** Needs a script: without one, the period is typed. */
const Crontab = () => {
  const { locale, zone } = useVisit()
  return (
    <details class="more scripted">
      <summary>Fill in from a crontab</summary>
      <Island name="cron" keep props={{ locale, zone, period: "monitor-periodSec" }} />
    </details>
  )
}

/** For installations that listen for mails of jobs. */
const MailWords = ({ monitor }: { readonly monitor: Edited }) => (
  <details class="more">
    <summary>Words in mails of the job</summary>
    <p class="note">Separate words with commas. Without any, each mail is a success.</p>
    <div class="columns">
      <TextSetting name="mailFailure" label="Failure" value={monitor?.mailFailure} placeholder="error, failed" />
      <TextSetting name="mailSuccess" label="Success" value={monitor?.mailSuccess} placeholder="completed" />
      <TextSetting name="mailStart" label="Start" value={monitor?.mailStart} placeholder="started" />
    </div>
  </details>
)

export const heartbeat: KindForm = {
  name: "Heartbeat",
  about: "Waits for pings of a job of yours, such as a cron job or a backup, and alerts when one is missing.",
  main: (monitor) => (
    <>
      <Crontab />
      <div class="columns">
        <DurationSetting
          name="periodSec"
          label="Expect a ping every"
          required
          unit="seconds"
          value={monitor?.periodSec ?? 3600}
          placeholder="1 day"
          hint="As in 15 min, 1 h or 1 day."
        />
        <DurationSetting
          name="graceSec"
          label="Grace time"
          unit="seconds"
          value={monitor?.graceSec}
          hint="How late a ping can be. Empty: a tenth of the period."
        />
      </div>
      <div class="columns">
        <DurationSetting
          name="maxRunSec"
          label="A run may take"
          clears
          unit="seconds"
          value={monitor?.maxRunSec}
          placeholder="30 min"
          hint="From its start ping to its end. Empty: the grace time."
        />
        {slowField(monitor)}
      </div>
      <MailWords monitor={monitor} />
    </>
  ),
  probed: false
}
